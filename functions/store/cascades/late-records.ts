/** Reads records for a step of compaction whose stamps the watermark may have passed before they were committed. */
import type { LateChanges } from '../lists/engine/compaction/late-changes.ts';
import { rangeQuery, recordRange } from '../lists/engine/dynamodb-storage.ts';
import { decodeRecord, type LogRecord, logPartition } from '../model/change-log.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { entityKey } from '../model/keys.ts';
import type { Kind } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';
import type { DanglingReferences } from './dangling-references.ts';

/** Reads the records that were reported as late. @param keys their sort keys. */
export async function readReported(
  { tenant, database }: Session,
  kind: Kind,
  keys: readonly string[],
): Promise<LogRecord[]> {
  const pk = logPartition(tenant, kind);
  return (await database.getMany(keys.map((sk) => ({ pk, sk })))).map(decodeRecord);
}

/** Pages of records (1 MB) that one look reads again, at most. */
const maxPages = 8;

interface PassedRecords {
  readonly records: readonly LogRecord[];
  /** The stamp up to which they were read. */
  readonly upTo: number;
  /** Whether all were read. */
  readonly isComplete: boolean;
}

/**
 * Reads the records with a stamp above one and not above another again, the oldest first. A process that was late can end before anybody notices.
 * @param upTo no record up to this stamp can appear any more, so that a replica is good enough.
 */
export async function readPassed(
  { tenant, database }: Session,
  kind: Kind,
  above: number,
  upTo: number,
): Promise<PassedRecords> {
  // A request has moved the time that was compared on, or the clock of a process was ahead.
  if (above >= upTo) return { records: [], upTo: above, isComplete: true };
  const query = { ...rangeQuery(tenant, kind, recordRange(above, upTo, true)), ConsistentRead: false };
  const records: LogRecord[] = [];
  let pages = 0;
  for await (const { items, next } of database.pages(query)) {
    records.push(...items.map(decodeRecord));
    pages += 1;
    // Of the last stamp, there may be more.
    const complete = (records.at(-1)?.stamp ?? 0) - 1;
    if (next && pages >= maxPages && complete > above) return { records, upTo: complete, isComplete: false };
  }
  return { records, upTo, isComplete: true };
}

/**
 * Returns late changes for a step. The step compares them with its columns, and with the entities that its columns lack. A deletion may have missed
 * these, because it finds children by lists. So references of them to entities that do not exist are removed.
 */
export function lateChanges(
  { tenant, database }: Session,
  kind: Kind,
  records: readonly LogRecord[],
  references: DanglingReferences,
): LateChanges | undefined {
  if (records.every(({ entries }) => entries.length === 0)) return undefined;
  return {
    records,
    readVersions: async (ids) => {
      const stored = (await database.getMany(ids.map((id) => entityKey(tenant, kind, id)))).map(decodeEntity);
      await references.sweepOfLate(stored);
      return new Map(stored.map(({ entity, version }) => [entity.id, version]));
    },
  };
}
