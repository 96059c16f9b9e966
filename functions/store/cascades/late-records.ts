/** Reads late records for a step of compaction: those whose stamps the watermark may have passed before they were committed. */
import type { LateChanges } from '../lists/engine/compaction/late-changes.ts';
import { decodeRecord, type LogRecord, logPartition } from '../model/change-log.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { entityKey } from '../model/keys.ts';
import type { Kind } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';

/** Reads the records that were reported as late. @param keys their sort keys. */
export async function readReported(
  { tenant, database }: Session,
  kind: Kind,
  keys: readonly string[],
): Promise<LogRecord[]> {
  const pk = logPartition(tenant, kind);
  return (await database.getMany(keys.map((sk) => ({ pk, sk })))).map(decodeRecord);
}

/** Returns late changes for a step. The step compares them with its columns, and with the entities. */
export function lateChanges(
  { tenant, database }: Session,
  kind: Kind,
  records: readonly LogRecord[],
): LateChanges | undefined {
  if (records.every(({ entries }) => entries.length === 0)) return undefined;
  return {
    records,
    readVersions: async (ids) => {
      const items = await database.getMany(ids.map((id) => entityKey(tenant, kind, id)));
      return new Map(items.map(decodeEntity).map(({ entity, version }) => [entity.id, version]));
    },
  };
}
