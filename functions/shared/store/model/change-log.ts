/**
 * The change log: one record for each transaction and kind of entity, written in that transaction. Lists read the records that
 * compaction has not absorbed into columns yet. See docs/list-engine.md.
 */
import { randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Change } from './changes.ts';
import { notExists } from './condition-expressions.ts';
import type { Kind } from './relations.ts';
import { type Row, toRow, type Value } from './row.ts';
import type { Condition, Item } from './writes.ts';

/** One change of one entity. */
export interface LogEntry {
  readonly id: string;
  /** The version that the change made. A deletion counts as one more. */
  readonly version: number;
  /** The stamp of the entity's change before this one; 0 for a creation. */
  readonly previousStamp: number;
  /** Absent for a creation. */
  readonly before?: Row | undefined;
  /** Absent for a deletion. */
  readonly after?: Row | undefined;
}

/** What one transaction changed of one kind. */
export interface LogRecord {
  /** Sort key: unique in the log, and in the order of stamps. */
  readonly key: string;
  /** When the transaction was built, in milliseconds since 1970. */
  readonly stamp: number;
  readonly entries: readonly LogEntry[];
}

/** Days after which DynamoDB deletes a record. Compaction absorbs it long before. */
export const retentionDays = 30;

/** The partition of a log. It also holds the log's manifest. */
export const logPartition = (tenant: string, kind: Kind): string => `${tenant}#${kind}#log`;

/** Returns the log that a partition key belongs to; a tenant contains no `#`. */
export function parseLogPartition(pk = ''): { readonly tenant: string; readonly kind: Kind } | undefined {
  const [, tenant, kind] = /^([^#]+)#([a-z]+)#log$/.exec(pk) ?? [];
  return tenant && kind ? { tenant, kind: kind as Kind } : undefined;
}

/** The sort key of a log's manifest: it sorts after all records, so one query downwards reads both. */
export const manifestSortKey = '~';

/** The beginning of the sort keys of records: filters of the table's stream compare with it. */
export const recordPrefix = 'record#';

/** Digits of a stamp in a sort key. */
const stampDigits = 15;

/** Returns a text that sorts before the keys of records with this stamp, and after those of all earlier ones. */
export const stampPrefix = (stamp: number): string =>
  recordPrefix + String(Math.max(0, stamp)).padStart(stampDigits, '0');

/** Texts that most records contain: deflate refers to them instead of repeating them. Changing it needs a new format. */
const commonTexts = Buffer.from(
  '"tagIds":"","color":"#808080","email":null,"organizationId":null,"userId":null,"startDate":null,"dueDate":"2026-' +
    '"status":"archived","status":"inactive","status":"invited","status":"completed","status":"planned","status":"cancelled",' +
    '"status":"in-progress","status":"todo","status":"done","status":"active","priority":"urgent","priority":"low",' +
    '"priority":"high","priority":"medium","priority":"none","description":"","projectId":"019","name":"' +
    '","updatedAt":"2026-',
);

const format = 1;

/** An entry in JSON; of `after`, only the fields that differ from `before`. */
type StoredEntry = [id: string, version: number, previousStamp: number, before: Row | 0, changed: Row | 0];

/** Returns the fields of a row that differ from another row's. */
export function changedFields(before: Row | undefined, after: Row): Row {
  if (!before) return after;
  const changed: Record<string, Value> = {};
  for (const field of Object.keys(after)) {
    const value = after[field];
    if (value !== undefined && value !== before[field]) changed[field] = value;
  }
  return changed;
}

const encodeEntry = ({ id, version, previousStamp, before, after }: LogEntry): StoredEntry => [
  id,
  version,
  previousStamp,
  before ?? 0,
  after ? changedFields(before, after) : 0,
];

const decodeEntry = ([id, version, previousStamp, before, changed]: StoredEntry): LogEntry => ({
  id,
  version,
  previousStamp,
  before: before || undefined,
  after: changed ? { ...(before || {}), ...changed } : undefined,
});

const encodeEntries = (entries: readonly LogEntry[]): Uint8Array =>
  deflateRawSync(JSON.stringify(entries.map(encodeEntry)), { dictionary: commonTexts });

/** Returns the entries of a change set's record, by kind. */
function entriesByKind(changes: readonly Change[]): Map<Kind, LogEntry[]> {
  const byKind = new Map<Kind, LogEntry[]>();
  for (const { before, after } of changes) {
    const { kind, entity } = (after ?? before) as NonNullable<typeof before>;
    const entries = byKind.get(kind) ?? [];
    byKind.set(kind, entries);
    entries.push({
      id: entity.id,
      version: (before?.version ?? 0) + 1,
      previousStamp: before?.stamp ?? 0,
      before: before && toRow(before.entity),
      after: after && toRow(after.entity),
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

/** The write of a record. Its condition fails when there is one with the same key. */
interface RecordWrite {
  readonly put: Item;
  readonly condition: Condition;
}

/** Returns the writes of a change set's records. They belong to its transaction. */
export function recordWrites(tenant: string, changes: readonly Change[], stamp: number): RecordWrite[] {
  return [...entriesByKind(changes)].map(([kind, entries]) => ({
    put: {
      pk: logPartition(tenant, kind),
      sk: `${stampPrefix(stamp)}#${randomBytes(6).toString('base64url')}`,
      format,
      entries: encodeEntries(entries),
      expiresAt: Math.floor(stamp / 1_000) + retentionDays * 86_400,
    },
    condition: notExists,
  }));
}

/**
 * Returns the item that withdraws a transaction: it has the key of one of the transaction's records, and no entries. When it is stored
 * first, the condition of that record fails, so the transaction can never be applied.
 */
export const withdrawnRecord = (record: Item): Item => ({ ...record, entries: encodeEntries([]) });

/**
 * Returns the record that an item stores. A withdrawn one has no entries.
 * @throws TypeError when a later version of the service has written it.
 */
export function decodeRecord(item: Item): LogRecord {
  if (item['format'] !== format) throw new TypeError(`Unknown format of a record: ${item['format']}.`);
  const json = inflateRawSync(item['entries'] as Uint8Array, { dictionary: commonTexts }).toString();
  const entries = (JSON.parse(json) as StoredEntry[]).map(decodeEntry);
  return {
    key: item.sk,
    stamp: Number(item.sk.slice(recordPrefix.length, recordPrefix.length + stampDigits)),
    entries,
  };
}
