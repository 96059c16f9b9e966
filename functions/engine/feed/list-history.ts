/**
 * The history of an entity: what each of its writes changed, the newest first. It is read from the change log, whose records have the rows before and
 * after each change. The entity has the position of its last change, and each entry that of the change before it.
 */
import { now } from '../../runtime/time-and-chance.ts';
import { readEntityItem } from '../entities/read-entity.ts';
import { type CursorCodec, cursorHash, fromCursor, toCursor } from '../lists/cursor-codec.ts';
import { decodeRecord, isExpiredRecord, maxPosition, recordKey } from '../model/change-log.ts';
import type { EntityName } from '../model/entity.ts';
import type { LogEntry } from '../model/record-codec.ts';
import type { Session } from '../table/session.ts';
import { isVisible } from './describe-change.ts';

export interface HistoryEntry {
  /** When it was made, in milliseconds since 1970. */
  readonly time: number;
  /** The subject of the token whose request made the change; absent where requests need no token. */
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

/** Characters of a cursor, at most: 17 bytes. */
export const maxHistoryCursorLength = 24;

/** Whatever the position of a cursor, a history has only changes of its entity. */
const codecOf = ({ kind, id }: EntityName): CursorCodec<number> => ({
  item: 'cursor of a history',
  maxLength: maxHistoryCursorLength,
  hash: cursorHash(`${kind} ${id}`),
  ofAnother: 'is the cursor of another history',
  write: (writer, position) => writer.number(position),
  read: (reader) => {
    const position = reader.number();
    return position <= maxPosition ? position : undefined;
  },
});

export const encodeHistoryCursor = (name: EntityName, position: number): string =>
  toCursor(codecOf(name), position);

/** Returns the position of a cursor. @throws InvalidCursor for a text that is not a cursor of this history. */
export const decodeHistoryCursor = (name: EntityName, cursor: string): number =>
  fromCursor(codecOf(name), cursor);
