/**
 * The history of an entity: what each of its writes changed, the newest first. It is read from the change log, whose records have the rows before and
 * after each change. The entity has the stamp of its last change, and each entry that of the change before it.
 */
import { decodeRecord, isExpiredRecord, recordsOfStamp } from '../model/change-log.ts';
import type { LogEntry } from '../model/log-entry.ts';
import type { Session } from '../unit-of-work/session.ts';
import type { EntityName } from './history-cursor.ts';
import { readEntityItem } from './read-entity.ts';

/** One change of an entity. */
export interface HistoryEntry {
  /** The stamp of the change, in milliseconds since 1970. */
  readonly stamp: number;
  /** The subject of the token whose request made the change; absent where requests need no token. */
  readonly actor?: string | undefined;
  readonly entry: LogEntry;
}

export interface HistoryPage {
  /** The newest first. */
  readonly entries: readonly HistoryEntry[];
  /** The stamp of the next change, if there is one. */
  readonly next?: number | undefined;
  /** False when the earlier changes cannot be read any more, because their records have expired. */
  readonly isComplete: boolean;
}

/** Where a page of a history begins, and how long it is. */
export interface HistoryPlace {
  readonly limit: number;
  /** The stamp of the first change. By default, that of the last change of the entity. */
  readonly after?: number | undefined;
}

/** Read units after which a page ends. A record of a batch or of a job can have 100 entities, and costs one unit for 8 KB. */
const maxUnits = 40;

/**
 * Finds the change of an entity with a stamp. Other records can have the same stamp. They are read one by one, because a record is paid with all of
 * its entities.
 */
async function findEntryOnce(
  { tenant, database }: Session,
  { kind, id }: EntityName,
  stamp: number,
  isConsistent: boolean,
): Promise<HistoryEntry | undefined> {
  const query = { ...recordsOfStamp(tenant, kind, stamp), ConsistentRead: isConsistent, Limit: 1 };
  const nowMs = await database.time();
  for await (const { items } of database.pages(query)) {
    for (const item of items) {
      // DynamoDB deletes expired items some days later.
      if (isExpiredRecord(item, nowMs)) continue;
      const { actor, entries } = decodeRecord(item);
      const entry = entries.find((one) => one.id === id);
      if (entry) return { stamp, actor, entry };
    }
  }
  return undefined;
}

/** Finds the change of an entity with a stamp. A replica can lack a record for a moment, so a missing one is read again consistently. */
export const findEntry = async (
  session: Session,
  name: EntityName,
  stamp: number,
): Promise<HistoryEntry | undefined> =>
  (await findEntryOnce(session, name, stamp, false)) ?? (await findEntryOnce(session, name, stamp, true));

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
  const { stamp: last = 0 } = await readEntityItem(session, name.kind, name.id);
  const entries: HistoryEntry[] = [];
  let stamp = after ?? last;
  while (stamp > 0) {
    if (entries.length >= limit || consumption.readUnits >= maxUnits)
      return { entries, next: stamp, isComplete: true };
    const found = await findEntry(session, name, stamp);
    if (!found) return { entries, isComplete: false };
    entries.push(found);
    stamp = found.entry.previousStamp;
  }
  return { entries, isComplete: true };
}
