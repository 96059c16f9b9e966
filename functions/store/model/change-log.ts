/**
 * The change log: one record for each transaction and kind of entity, written in that transaction. Lists read the pending records: those that
 * compaction has not absorbed into columns yet. See docs/list-engine.md.
 */
import { randomBytes } from '../../runtime/time-and-chance.ts';
import { type Change, existing } from './changes.ts';
import { notExists } from './condition-expressions.ts';
import type { LogEntry } from './log-entry.ts';
import { lateAfterMs } from './log-timing.ts';
import { decodeContents, encodeContents, type RecordContents } from './record-codec.ts';
import type { Kind } from './relations.ts';
import { toRow } from './row.ts';
import { parseStampText, stampText, stampTextLength } from './stamp-text.ts';
import { requireKnownFields } from './stored-format.ts';
import type { Condition, Item } from './writes.ts';

/** What one transaction changed of one kind. */
export interface LogRecord extends RecordContents {
  /** Sort key: unique in the log, and in the order of stamps. */
  readonly key: string;
  /** When the transaction was built, in milliseconds since 1970. */
  readonly stamp: number;
  /** Days after which DynamoDB deletes it: 30 by default. The setting can have been another one when it was written. */
  readonly lifeDays?: number | undefined;
}

/** Days after which DynamoDB deletes a record, unless the setting `historyDays` says another number. Compaction absorbs it long before. */
export const defaultHistoryDays = 30;

/** The least and the greatest number of days. */
export const minHistoryDays = 7;
export const maxHistoryDays = 400;

const dayMs = 86_400_000;

/**
 * Returns the milliseconds for which all records exist at least that live some days: a day less, because DynamoDB deletes expired items in any
 * order.
 */
export const recordLifeMs = (days: number): number => (days - 1) * dayMs;

/** Returns the partition of a log: it holds its records and its manifest. */
export const logPartition = (tenant: string, kind: Kind): string => `${tenant}#${kind}#log`;

/** Returns the log that a partition key belongs to; a tenant contains no `#`. */
export function parseLogPartition(pk = ''): { readonly tenant: string; readonly kind: Kind } | undefined {
  const [, tenant, kind] = /^([^#]+)#([a-z]+)#log$/.exec(pk) ?? [];
  return tenant && kind ? { tenant, kind: kind as Kind } : undefined;
}

/** The sort key of a log's manifest: it sorts after all records, so one query downwards reads both. */
export const manifestSortKey = '~';

/** The beginning of the sort keys of records: filters of the table's stream compare with it. */
export const recordPrefix = 'r#';

const recordKeyPattern = /^r#[0-9a-v]{9}[\w-]{6}$/;

/** Returns whether a text has the form of a record's sort key. */
export const isRecordKey = (text: string): boolean => recordKeyPattern.test(text);

/** Random bytes at the end of a sort key. They make the keys of records with the same stamp different. */
const randomKeyBytes = 4;

const contentsAttribute = 'e';

/** Returns a text that sorts before the keys of records with this stamp, and after those of all earlier ones. */
export const stampPrefix = (stamp: number): string => recordPrefix + stampText(stamp);

/** Returns the stamp in the sort key of a record. */
export const stampOf = (key: string): number =>
  parseStampText(key.slice(recordPrefix.length, recordPrefix.length + stampTextLength));

/** Returns the query for the records with a stamp: one, unless several transactions were built in this millisecond. */
export const recordsOfStamp = (tenant: string, kind: Kind, stamp: number) => ({
  KeyConditionExpression: 'pk = :partition AND begins_with(sk, :stamp)',
  ExpressionAttributeValues: { ':partition': logPartition(tenant, kind), ':stamp': stampPrefix(stamp) },
});

/** Returns whether the life of a record is over. DynamoDB deletes it some time later. */
export const isExpiredRecord = ({ expiresAt }: Item, nowMs: number): boolean =>
  typeof expiresAt === 'number' && expiresAt * 1_000 <= nowMs;

function entriesByKind(changes: readonly Change[]): Map<Kind, LogEntry[]> {
  const byKind = new Map<Kind, LogEntry[]>();
  for (const { before, after } of changes) {
    const { kind, entity } = (after ?? before) as NonNullable<typeof before>;
    const [rowBefore, rowAfter] = [existing(before), existing(after)].map((one) => one && toRow(one.entity));
    const entries = byKind.get(kind) ?? [];
    byKind.set(kind, entries);
    entries.push({
      id: entity.id,
      version: (before?.version ?? 0) + 1,
      previousStamp: before?.stamp ?? 0,
      before: rowBefore,
      after: rowAfter,
    });
  }
  return byKind;
}

/**
 * Returns the stamp of a transaction, in milliseconds since 1970. Stamps grow with every change of an entity, also when the clock
 * of the previous writer was ahead: a point in the log is then a version of each entity.
 * @param nowMs the time of this process.
 */
export const transactionStamp = (changes: readonly Change[], nowMs: number): number =>
  changes.reduce((stamp, { before }) => Math.max(stamp, (before?.stamp ?? 0) + 1), nowMs);

/** Milliseconds of the unit in which DynamoDB's stream gives the time of a record. */
const creationUnitMs = 1_000;

/**
 * Returns whether compaction may have passed the stamp of a record before the record was committed.
 * @param createdMs when DynamoDB created the record, rounded down to whole seconds.
 */
export const isLate = (stamp: number, createdMs: number): boolean =>
  createdMs + creationUnitMs > stamp + lateAfterMs;

/** The write of a record. Its condition fails when there is one with the same key. */
interface RecordWrite {
  readonly put: Item;
  readonly condition: Condition;
}

/** What records have besides changes. */
interface RecordOptions {
  /** The subject of the token whose request makes the changes. */
  readonly actor?: string | undefined;
  /** Days after which DynamoDB deletes the records. */
  readonly historyDays?: number | undefined;
}

/** Returns the writes of a change set's records. They belong to its transaction. */
export function recordWrites(
  tenant: string,
  changes: readonly Change[],
  stamp: number,
  { actor, historyDays = defaultHistoryDays }: RecordOptions = {},
): RecordWrite[] {
  return [...entriesByKind(changes)].map(([kind, entries]) => ({
    put: {
      pk: logPartition(tenant, kind),
      sk: stampPrefix(stamp) + randomBytes(randomKeyBytes).toString('base64url'),
      [contentsAttribute]: encodeContents({ actor, entries }, stamp),
      expiresAt: Math.floor((stamp + historyDays * dayMs) / 1_000),
    },
    condition: notExists,
  }));
}

/**
 * Returns the item that withdraws a transaction: it has the key of one of the transaction's records, and no entries. When it is stored
 * first, the condition of that record fails, so the transaction can never be applied.
 */
export const withdrawnRecord = (record: Item): Item => ({
  ...record,
  [contentsAttribute]: encodeContents({ entries: [] }, stampOf(record.sk)),
});

const recordFields = { [contentsAttribute]: true, expiresAt: true };

/**
 * Returns the record that an item stores. A withdrawn one has no entries.
 * @throws UnknownFormat when another release has written it.
 */
export function decodeRecord(item: Item): LogRecord {
  requireKnownFields('record', item, recordFields);
  const stamp = stampOf(item.sk);
  const contents = decodeContents(item[contentsAttribute] as Uint8Array, stamp);
  const lifeDays = Math.round(((item['expiresAt'] as number) * 1_000 - stamp) / dayMs);
  return { key: item.sk, stamp, lifeDays, ...contents };
}
