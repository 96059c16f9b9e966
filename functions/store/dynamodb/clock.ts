/**
 * The time of this process, corrected by DynamoDB's. The clock of a machine can be wrong, jump, or stand still while the machine is
 * suspended. Each response of DynamoDB has a `Date`, which bounds the error of the clock. What is stored or compared uses this time.
 */
import { monotonic, now } from '../../runtime/time-and-chance.ts';
import { maxClockErrorMs } from '../model/log-timing.ts';

/** The clocks of a machine, in milliseconds. */
export interface TimeSource {
  /** The time of day, since 1970. It can jump. */
  readonly wall: () => number;
  /** The time since some moment. It never jumps, and can stand still while the machine is suspended. */
  readonly monotonic: () => number;
}

/** Both clocks at one moment. */
export interface Reading {
  readonly wall: number;
  readonly monotonic: number;
}

export interface Clock {
  read(): Reading;
  /**
   * Learns from a response that arrives now.
   * @param sent when its request was sent.
   * @param date the time of DynamoDB in the response, in whole seconds, as milliseconds since 1970.
   */
  observe(sent: Reading, date: number): void;
  /** Returns the time in milliseconds since 1970, never less than before; `undefined` while it is not known. */
  now(): number | undefined;
  /** Returns the earliest time that DynamoDB can have now, milliseconds since 1970; `undefined` while the time is not known. */
  earliest(): number | undefined;
  /** Whether responses contradict each other, so that the time is not known. */
  isContradictory(): boolean;
}

/** Milliseconds of a jump of the wall clock, or of a suspension, that are not noticed. They are a part of the bound. */
const maxUnseenMs = 100;

/** Milliseconds of error on either side that the responses leave undecided, at most. */
const maxUndecidedMs = maxClockErrorMs - maxUnseenMs;

/** Milliseconds of the unit of `Date`. */
const dateUnitMs = 1_000;

/**
 * Milliseconds of a round trip, at most. A longer one leaves more undecided than a correction can make good. The process can have been frozen
 * meanwhile.
 */
const maxRoundTripMs = 2 * maxUndecidedMs - dateUnitMs;

/** Milliseconds for which a response is evidence. */
const maxAgeMs = 60_000;

/** Milliseconds of responses that are kept as one interval. */
const intervalMs = 10_000;

/** What the responses of some seconds say about the error of the wall clock: local time minus DynamoDB's, in milliseconds. */
interface ErrorInterval {
  /** The monotonic time of the first response. */
  readonly since: number;
  /** Wall minus monotonic time at the first response. */
  readonly offset: number;
  readonly from: number;
  readonly to: number;
}

const offsetOf = ({ wall, monotonic }: Reading): number => wall - monotonic;

const systemTime: TimeSource = { wall: now, monotonic };

export class CorrectedClock implements Clock {
  readonly #source: TimeSource;
  /** The newest last. */
  #intervals: readonly ErrorInterval[] = [];
  #last = 0;

  constructor(source: TimeSource = systemTime) {
    this.#source = source;
  }

  read(): Reading {
    return { wall: this.#source.wall(), monotonic: this.#source.monotonic() };
  }

  observe(sent: Reading, date: number): void {
    const received = this.read();
    const hasJumped = Math.abs(offsetOf(received) - offsetOf(sent)) > maxUnseenMs;
    const isSlow = received.monotonic - sent.monotonic > maxRoundTripMs;
    if (hasJumped || isSlow || Number.isNaN(date)) return;
    const interval = { from: sent.wall - (date + dateUnitMs), to: received.wall - date };
    const valid = this.#validAt(received);
    const last = valid.at(-1);
    const isNew = !last || last.since + intervalMs < received.monotonic;
    const { from, to, ...begin } = isNew
      ? { ...interval, since: received.monotonic, offset: offsetOf(received) }
      : last;
    const joined = { ...begin, from: Math.max(from, interval.from), to: Math.min(to, interval.to) };
    this.#intervals = isNew ? [...valid, joined] : [...valid.slice(0, -1), joined];
  }

  now(): number | undefined {
    const reading = this.read();
    const correction = this.#correctionAt(reading);
    if (correction === undefined) return undefined;
    this.#last = Math.max(this.#last, Math.floor(reading.wall - correction));
    return this.#last;
  }

  earliest(): number | undefined {
    const reading = this.read();
    if (this.#correctionAt(reading) === undefined) return undefined;
    const { from, to } = intersection(this.#validAt(reading));
    return Math.floor(reading.wall - Math.max(from, to)) - maxUnseenMs;
  }

  isContradictory(): boolean {
    const valid = this.#validAt(this.read());
    return valid.length > 0 && contradictionOf(valid) > maxClockErrorMs;
  }

  /** Returns the intervals that still hold: a jump or a suspension ends all that began before it. */
  #validAt(reading: Reading): readonly ErrorInterval[] {
    return this.#intervals.filter(
      ({ since, offset }) =>
        since + maxAgeMs > reading.monotonic && Math.abs(offsetOf(reading) - offset) <= maxUnseenMs,
    );
  }

  /** Returns what to subtract from the wall clock: as little as the intervals permit, and so much that what they leave is within the bound. */
  #correctionAt(reading: Reading): number | undefined {
    const valid = this.#validAt(reading);
    if (valid.length === 0 || contradictionOf(valid) > maxClockErrorMs) return undefined;
    const { from, to } = intersection(valid);
    const [least, greatest] = from <= to ? [from, to] : [to, from];
    const proven = clamp(0, least, greatest);
    return clamp(proven, greatest - maxUndecidedMs, least + maxUndecidedMs);
  }
}

const intersection = (intervals: readonly ErrorInterval[]): Pick<ErrorInterval, 'from' | 'to'> => ({
  from: Math.max(...intervals.map(({ from }) => from)),
  to: Math.min(...intervals.map(({ to }) => to)),
});

const clamp = (value: number, least: number, greatest: number): number =>
  Math.min(Math.max(value, least), greatest);

/** Returns the milliseconds by which intervals miss each other; a negative number when they overlap. */
function contradictionOf(intervals: readonly ErrorInterval[]): number {
  const { from, to } = intersection(intervals);
  return from - to;
}
