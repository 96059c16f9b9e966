/** Compaction in tests. */

import { compact } from '#functions/engine/columns/compact/compact.ts';
import { openLog } from '#functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { type CompactionSizes, defaultSizes } from '#functions/engine/columns/compact/sizes.ts';
import type { Manifest } from '#functions/engine/columns/format/manifest.ts';
import { ProcessMemory } from '#functions/engine/columns/process-memory.ts';
import type { Kind } from '#functions/engine/model/schema.ts';
import type { Database } from '#functions/engine/table/database.ts';
import { now } from '#functions/runtime/time-and-chance.ts';

/** Small segments and patches, so that there are many. */
export const smallSizes: CompactionSizes = {
  maxRows: 16,
  maxColumnBytes: 300,
  maxWords: 60,
  maxSmallBytes: 300,
  bucketBytes: 100,
  maxChanges: 25,
  maxChangedBytes: 20_000,
  maxMergedRows: 32,
  minSegmentRows: 5,
  maxOpenSegments: 3,
  maxShareOfPatch: 1 / 2,
  maxMergedPatchBytes: 2_000,
  maxShareOfColumn: 0.3,
  maxRewrittenColumns: 3,
  minShareOfWaiting: 0.25,
  maxShareOfExpired: 0.25,
  maxRowsOfOne: 2,
  maxWaitingRows: 6,
  minChanges: 1,
};

/** Returns how many rows compaction has absorbed. */
export const absorbedRows = ({ segments, waiting }: Manifest): number =>
  [...segments, ...waiting].reduce((sum, { rows }) => sum + rows, 0);

/** Absorbs all records of a log, and takes all steps that are due then. */
export async function compactAll(
  database: Database,
  tenant: string,
  kind: Kind,
  sizes: CompactionSizes = defaultSizes,
): Promise<void> {
  const writer = openLog(database, tenant, kind);
  const memory = new ProcessMemory().of(tenant, kind);
  for (;;) {
    const result = await compact({ writer, memory, nowMs: now(), isForced: true, sizes });
    if (result && !result.hasMore) return;
  }
}
