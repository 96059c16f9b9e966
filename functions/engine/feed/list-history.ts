/**
 * The history of an entity: what each of its writes changed, the newest first. It is read from the change log, whose records have the rows before and
 * after each change. The entity has the position of its last change, and each entry that of the change before it.
 */
import { now } from '../../runtime/time-and-chance.ts';
import { readEntityItem } from '../entities/read-entity.ts';
import { decodeRecord, isExpiredRecord, recordKey } from '../model/change-log.ts';
import type { LogEntry } from '../model/record-codec.ts';
import type { Session } from '../table/session.ts';
import { isVisible } from './describe-change.ts';
import type { EntityName } from './history-cursor.ts';

export interface HistoryEntry {
  /** When it was made, in milliseconds since 1970. */
  readonly time: number;
  readonly actor?: string | undefined;
  readonly entry: LogEntry;
}

export interface HistoryPage {
  /** The newest first. */
  readonly entries: readonly HistoryEntry[];
  /** The position of the next change, if there is one. */
  readonly next?: number | undefined;
  /** False when the earlier changes cannot be read any more, because their records have expired. */
  readonly isComplete: boolean;
}

export interface HistoryPlace {
  readonly limit: number;
  /** The position of the first change. By default, that of the last change of the entity. */
  readonly after?: number | undefined;
}

/** Read units after which a page ends. A record of a batch or of a job can have 100 entities, and costs one unit for 8 KB. */
const maxUnits = 40;

/** Finds the change of an entity at a position. A replica can lack a record for a moment, so a missing one is read again consistently. */
export async function findEntry({ tenant, database }: Session, { kind, id }: EntityName, position: number) {
  const keys = [recordKey({ tenant, kind }, position)];
  const item = (await database.getMany(keys, false))[0] ?? (await database.getMany(keys))[0];
  // DynamoDB deletes expired items some days later.
  if (!item || isExpiredRecord(item, now())) return undefined;
  const { time, actor, entries } = decodeRecord(item);
  const entry = entries.find((one) => one.id === id);
  return entry && { time, actor, entry };
}

/**
 * Returns a page of the history of an entity. It can be shorter than the limit, because records of many entities cost more.
 * @throws EntityNotFound, also for a deleted entity.
 */
export async function listHistory(
  session: Session,
  name: EntityName,
  { limit, after }: HistoryPlace,
): Promise<HistoryPage> {
  const { consumption } = session.database;
  const { logPosition: last = 0 } = await readEntityItem(session, name.kind, name.id);
  const entries: HistoryEntry[] = [];
  let position = after ?? last;
  while (position > 0) {
    if (entries.length >= limit || consumption.readUnits >= maxUnits)
      return { entries, next: position, isComplete: true };
    const found = await findEntry(session, name, position);
    if (!found) return { entries, isComplete: false };
    // A change of the deleted entity is none of what callers know.
    if (isVisible(found.entry)) entries.push(found);
    position = found.entry.previousPosition;
  }
  return { entries, isComplete: true };
}
