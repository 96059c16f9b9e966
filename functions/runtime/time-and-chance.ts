/**
 * The only source of time and chance of the functions. Tests replace it: then time is virtual, so no test waits for it or depends on how busy the
 * machine is, and a run repeats from its seed.
 */
import { randomBytes as systemRandomBytes } from 'node:crypto';
import { setTimeout as systemDelay } from 'node:timers/promises';
import { v4 as uuidv4 } from 'uuid';

export interface TimeAndChance {
  /** The time of day, in milliseconds since 1970. It can jump. */
  now(): number;
  /** Milliseconds since some moment. It never jumps, and can stand still while the machine is suspended. */
  monotonic(): number;
  /** Waits. @throws the reason of the signal when it aborts. */
  delay(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls a function later. It does not keep the process alive. @returns a function that cancels the call. */
  startTimer(milliseconds: number, call: () => void): () => void;
  /** Returns a number from 0 up to, but without, 1. */
  random(): number;
  randomBytes(count: number): Buffer;
}

export const dayMs = 86_400_000;

const system: TimeAndChance = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  delay: (milliseconds, signal) => systemDelay(milliseconds, undefined, { signal }),
  startTimer: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds).unref();
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  randomBytes: (count) => systemRandomBytes(count),
};

let source = system;

/** Replaces the source of this process. Without one, the system's is used again. */
export function setTimeAndChance(other: TimeAndChance = system): void {
  source = other;
}

export const now = (): number => source.now();
export const monotonic = (): number => source.monotonic();
export const delay = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  source.delay(milliseconds, signal);
export const startTimer = (milliseconds: number, call: () => void): (() => void) =>
  source.startTimer(milliseconds, call);
export const random = (): number => source.random();
export const randomBytes = (count: number): Buffer => source.randomBytes(count);

/** Returns a whole number from `least` up to, but without, `limit`. */
export const randomInteger = (least: number, limit: number): number =>
  least + Math.floor(random() * (limit - least));

/** Returns a UUID of version 4 (RFC 9562). */
export const randomId = (): string => uuidv4({ random: randomBytes(16) });
