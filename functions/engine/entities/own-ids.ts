/** Ids of new entities that callers have made, for example while they were offline. */
import { dayMs, now } from '../../runtime/time-and-chance.ts';
import { isExpired } from '../model/deletion.ts';
import type { AnyEntity } from '../model/entity.ts';
import { IdTaken, UnusableId, VersionMismatch } from '../model/errors.ts';
import { isId, timestampMs } from '../model/ids.ts';
import type { Kind } from '../model/schema.ts';
import { type Session, withoutSight } from '../table/session.ts';
import { findStored } from '../table/stored-entities.ts';

const secondMs = 1_000;

/** Milliseconds by which the time of an own id may be in the past. A deleted entity is remembered for as long: its id never names another one. */
export const maxOwnIdAgeMs = 30 * dayMs;

/** Milliseconds by which the time of an own id may be in the future: clocks of devices differ. */
export const maxOwnIdAheadMs = 60 * secondMs;

/** Returns what is wrong with the form of an id; `undefined` when nothing is. */
function findFormIssue(id: string): string | undefined {
  if (isId(id)) return undefined;
  return isId(id.toLowerCase())
    ? 'must be in lower case'
    : 'must be a UUID of version 7, such as 019b2f4f-53d8-7f6b-b1e9-7a2c4d8f0e36';
}

/** Returns what is wrong with the time of an id; `undefined` when nothing is. @param nowMs milliseconds since 1970. */
function findTimeIssue(id: string, nowMs: number): string | undefined {
  const timeMs = timestampMs(id);
  const times = `has the time ${new Date(timeMs).toISOString()}, and the time of the service is ${new Date(nowMs).toISOString()}`;
  if (timeMs <= nowMs - maxOwnIdAgeMs)
    return `is more than ${maxOwnIdAgeMs / dayMs} days old: it ${times}. Make a new id`;
  if (timeMs > nowMs + maxOwnIdAheadMs)
    return `is more than ${maxOwnIdAheadMs / secondMs} seconds ahead: it ${times}. Correct the clock that it is from`;
  return undefined;
}

const hasExpired = ({ deletion }: AnyEntity, nowMs: number): boolean =>
  deletion !== undefined && !deletion.isErased && isExpired(deletion, nowMs);

/**
 * Returns why an id cannot be that of a new entity; `undefined` when it can.
 * @param stored the entity that has it, or had it until it was deleted.
 */
export function findOwnIdError(
  id: string,
  { stored, isSeen }: { readonly stored: AnyEntity | undefined; readonly isSeen: boolean },
  nowMs: number,
) {
  // An id that is taken can be that of an earlier attempt whose response was lost. If its deletion has expired, the id is too old for a new entity.
  if (stored && !hasExpired(stored, nowMs))
    return isSeen
      ? new VersionMismatch(stored, 'no version')
      : new IdTaken('The id is taken. Use a new one.');
  const issue = findFormIssue(id) ?? findTimeIssue(id, nowMs);
  return issue === undefined ? undefined : new UnusableId(issue);
}

/**
 * Checks that an id can be that of a new entity. The condition of the write decides between two requests with one id at the same time.
 * @throws VersionMismatch when an entity has it; IdTaken when the caller does not see that; UnusableId.
 */
export async function requireUsableId(session: Session, kind: Kind, id: string): Promise<void> {
  const stored = isId(id) ? await findStored(withoutSight(session), kind, id) : undefined;
  const [isSeen = true] = stored && session.sight ? await session.sight.areSeen([stored]) : [];
  const error = findOwnIdError(id, { stored, isSeen }, now());
  if (error) throw error;
}
