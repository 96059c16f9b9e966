/** Ids of entities: UUIDs of version 7 (RFC 9562), whose order is the order of creation. */

import { v7 as uuidv7 } from 'uuid';
import { randomBytes, randomInteger } from '../../runtime/time-and-chance.ts';

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Returns whether a text has the form of an id. The store does not look up texts that have not. */
export const isId = (value: string): boolean => idPattern.test(value);

/** Returns the time in an id, in milliseconds since 1970. */
export const timestampMs = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/**
 * Each millisecond begins with a sequence below this one. The sequence in an id has 32 bits, so it can grow by 2^31: no process creates so many ids before its
 * clock moves on.
 */
const maxFirstSequence = 2 ** 31;

/** The time and the sequence of the last id of this process. It is module state because all ids of the process are in one order. */
let last = { msecs: 0, seq: 0 };

/** Returns the next time and sequence. The library keeps a sequence only with its own clock. */
function nextInOrder(nowMs: number): typeof last {
  if (nowMs > last.msecs) return { msecs: nowMs, seq: randomInteger(0, maxFirstSequence) };
  return { msecs: last.msecs, seq: last.seq + 1 };
}

/**
 * Returns a new id, greater than every id that this process has created. `createdAt` is the time in the id, so the order of
 * ids is the order of creation, ties included.
 */
export function newId(nowMs: number): { id: string; createdAt: string } {
  last = nextInOrder(nowMs);
  return { id: uuidv7({ ...last, random: randomBytes(16) }), createdAt: new Date(last.msecs).toISOString() };
}

/** Returns a text of the form of an id that is not greater than the ids of a time. @param timeMs milliseconds since 1970. */
export function firstIdAt(timeMs: number): string {
  const hex = Math.max(0, Math.floor(timeMs)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
