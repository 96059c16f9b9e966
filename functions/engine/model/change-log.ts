/**
 * The change log: one record for each transaction and kind of entity, written in that transaction. It is a shared log: a sequencer hands out
 * positions, a record is written once, at its position, and its writer or compaction fills a position without one. Lists read the pending records:
 * those that compaction has not absorbed into columns yet. See docs/list-engine.md.
 */
import { groupBy } from '../../runtime/group-by.ts';
import { dayMs } from '../../runtime/time-and-chance.ts';
import { type Change, kindOf } from './changes.ts';
import { inflate } from './deflate.ts';
import { deletedAtOf, existingRow, notDeleted, storedRow } from './deletion.ts';
import type { LogEntry } from './record-codec.ts';
import { decodeContents, encodeContents, formatOfContents, type RecordContents } from './record-codec.ts';
import type { Row } from './row.ts';
import { type Kind, settingsInUse } from './schema.ts';
import { requireFormat, requireKnownFields } from './stored-format.ts';
import { haveSameTexts, withOtherWords } from './words.ts';
import { type Condition, type Item, type Key, notExists } from './writes.ts';

const digits = 9;
const base = 32;

/** The greatest position. Its successor has a text too. */
export const maxPosition = base ** digits - 2;

/** A change log: each kind of a tenant has one. */
export interface LogIdentity {
  readonly tenant: string;
  readonly kind: Kind;
}

/** What one transaction changed of one kind. A filler has no entries: it takes the place of a transaction that can then never be applied. */
export interface LogRecord extends RecordContents {
  readonly position: number;
  /** When its transaction was built, in milliseconds since 1970. It orders nothing. */
  readonly time: number;
}

/** Days after which DynamoDB deletes a record, unless the setting `historyDays` says another number. Compaction absorbs it long before. */
export const defaultHistoryDays = 30;

export const minHistoryDays = 7;
export const maxHistoryDays = 400;

/** Returns the partition of a log: it holds its records and its manifest. */
export const logPartition = (tenant: string, kind: Kind): string => `${tenant}#${kind}#log`;

/** Returns the log that a partition key belongs to; a tenant contains no `#`. */
export function parseLogPartition(pk = ''): LogIdentity | undefined {
  const [, tenant, kind] = /^([^#]+)#([a-z]+)#log$/.exec(pk) ?? [];
  return tenant && kind ? { tenant, kind: kind as Kind } : undefined;
}

/** The sort key of a log's manifest: it sorts after all records, so one query downwards reads both. */
export const manifestSortKey = '~';

/** The beginning of the sort keys of records: filters of the table's stream compare with it. */
export const recordPrefix = 'r#';

/** All have one length, and sort as positions do. Every list reads many, so they are short. */
export const recordSortKey = (position: number): string =>
  recordPrefix + Math.max(0, position).toString(base).padStart(digits, '0');

export const recordKey = ({ tenant, kind }: LogIdentity, position: number): Key => ({
  pk: logPartition(tenant, kind),
  sk: recordSortKey(position),
});

export const positionOf = (sortKey: string): number =>
  Number.parseInt(sortKey.slice(recordPrefix.length), base);

/**
 * Returns the position that a log has reached, as one of its items tells: a record, or the manifest, whose columns have the records up to its watermark.
 * @throws UnknownFormat.
 */
export function positionReached(item: Item): number {
  if (item.sk !== manifestSortKey) return positionOf(item.sk);
  requireFormat('manifest', item['format']);
  return (JSON.parse(inflate(item['state'] as Uint8Array).toString()) as { watermark: number }).watermark;
}

const sequencerSortKey = 'sequencer';

/** Returns the key of the sequencer of a log. It has a partition of its own, which takes 1,000 writes a second beside those of the log. */
export const sequencerKey = ({ tenant, kind }: LogIdentity): Key => ({
  pk: `${tenant}#${kind}#${sequencerSortKey}`,
  sk: sequencerSortKey,
});

/** Returns the log of a sequencer; `undefined` for another item. */
export function parseSequencerKey({ pk, sk }: Key): LogIdentity | undefined {
  const [tenant, kind] = pk.split('#');
  return sk === sequencerSortKey && tenant && kind ? { tenant, kind: kind as Kind } : undefined;
}

const contentsAttribute = 'e';

/** The attribute that has the time of a record, in milliseconds since 1970. */
export const timeAttribute = 't';

/** Returns whether the life of a record is over. DynamoDB deletes it some time later. */
export const isExpiredRecord = ({ expiresAt }: Item, nowMs: number): boolean =>
  typeof expiresAt === 'number' && expiresAt * 1_000 <= nowMs;

/** Returns the row after a change: after a restore, it says that the entity is not deleted, because rows of entries are differences. */
const withNotDeleted = (before: Row | undefined, after: Row | undefined): Row | undefined =>
  before && after && deletedAtOf(before) !== null && deletedAtOf(after) === null
    ? { ...after, ...notDeleted }
    : after;

function entryOf({ before, after }: Change): LogEntry {
  const { entity } = (after ?? before) as NonNullable<typeof before>;
  const row = after && storedRow(after);
  // What was erased must not live longer in the record of its erasure.
  const rowBefore = before && (row || !before.deletion) ? storedRow(before) : undefined;
  const hasOtherTexts = row && !(rowBefore && haveSameTexts(rowBefore, row));
  return {
    id: entity.id,
    version: (before?.version ?? 0) + 1,
    previousPosition: before?.logPosition ?? 0,
    before: rowBefore,
    after: withNotDeleted(rowBefore, hasOtherTexts ? withOtherWords(row, entity) : row),
  };
}

/** Returns the greatest position of the previous changes of the changed entities, by kind. That of a change is greater. */
export function previousPositions(changes: readonly Change[]): Map<Kind, number> {
  const positionsOf = (own: readonly Change[]) => own.map(({ before }) => before?.logPosition ?? 0);
  return new Map([...groupBy(changes, kindOf)].map(([kind, own]) => [kind, Math.max(...positionsOf(own))]));
}

/** The write of a record. Its condition fails when its position has one already. */
export interface RecordWrite {
  readonly put: Item;
  readonly condition: Condition;
}

interface RecordOptions {
  readonly positions: ReadonlyMap<Kind, number>;
  readonly time: number;
  readonly actor?: string | undefined;
}

function toItem(key: Key, contents: RecordContents, time: number): Item {
  const historyDays = settingsInUse().historyDays() ?? defaultHistoryDays;
  return {
    ...key,
    [contentsAttribute]: encodeContents(contents, time),
    [timeAttribute]: time,
    expiresAt: Math.floor((time + historyDays * dayMs) / 1_000),
  };
}

/** Returns the writes of a change set's records, by kind. They belong to its transaction. */
export function recordWrites(
  tenant: string,
  changes: readonly Change[],
  { positions, time, actor }: RecordOptions,
): Map<Kind, RecordWrite> {
  const writes = new Map<Kind, RecordWrite>();
  for (const [kind, own] of groupBy(changes, kindOf)) {
    const key = recordKey({ tenant, kind }, positions.get(kind) as number);
    const contents = { actor, entries: own.map(entryOf) };
    writes.set(kind, { put: toItem(key, contents, time), condition: notExists });
  }
  return writes;
}

/** Returns the write that fills a position. When it is first, the transaction of this position can never be applied. */
export const fillerWrite = (key: Key, time: number): RecordWrite => ({
  put: toItem(key, { entries: [] }, time),
  condition: notExists,
});

export const formatOfRecord = (item: Item): number => formatOfContents(item[contentsAttribute] as Uint8Array);

const recordFields = { [contentsAttribute]: true, [timeAttribute]: true, expiresAt: true };

/**
 * Returns the record that an item stores, with the rows of deleted entities. For what makes and reads columns.
 * @throws UnknownFormat when another release has written it.
 */
export function decodeStoredRecord(item: Item): LogRecord {
  requireKnownFields('record', item, recordFields);
  const time = item[timeAttribute] as number;
  const contents = decodeContents(item[contentsAttribute] as Uint8Array, time);
  return { position: positionOf(item.sk), time, ...contents };
}

/**
 * Returns the record that an item stores, as readers of changes see it: a deleted entity does not exist. A change of a deleted entity has neither a row before nor
 * one after.
 * @throws UnknownFormat when another release has written it.
 */
export function decodeRecord(item: Item): LogRecord {
  const { entries, ...record } = decodeStoredRecord(item);
  return {
    ...record,
    entries: entries.map((entry) => ({
      ...entry,
      before: existingRow(entry.before),
      after: existingRow(entry.after),
    })),
  };
}
