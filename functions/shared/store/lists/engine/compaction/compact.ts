/**
 * Compaction: absorbs settled records of the change log into columns. One step reads the manifest and some records, writes new items
 * under new names, and replaces the manifest. A crash at any point leaves the old manifest, which is complete.
 */

import { firstIdAt } from '../../../model/ids.ts';
import { maxCreationMs } from '../../../model/log-timing.ts';
import { emptyManifest, type ItemName, type Manifest, manifestNames } from '../manifest.ts';
import { mergeRecords } from '../row-change.ts';
import { Snapshot } from '../snapshot.ts';
import { CompactionStep } from './compaction-step.ts';
import { deleteGarbage, recordStep } from './delete-garbage.ts';
import { lateRecords, locateChanges } from './locate-changes.ts';
import { planRewrites } from './plan-rewrites.ts';
import { type CompactionInput, type CompactionSource, readInput } from './read-input.ts';
import { defaultSizes } from './sizes.ts';
import { writeFacets } from './write-facets.ts';
import { writeRuns } from './write-runs.ts';

/**
 * Returns the manifest after a step; `undefined` when there is nothing to absorb and no other reason for a new one.
 * @param isNeeded whether there is another reason.
 */
async function nextManifest(
  { writer, cache, sizes = defaultSizes }: CompactionSource,
  manifest: Manifest,
  input: CompactionInput,
  isNeeded: boolean,
): Promise<{ readonly next: Manifest; readonly step: CompactionStep } | undefined> {
  const snapshot = new Snapshot(manifest, writer, cache);
  const late = await lateRecords(snapshot, input.healing);
  if (late.length + input.records.length === 0 && !isNeeded) return undefined;
  // A log keeps its facets until its columns are built again: only then are all its rows counted.
  const fields = manifest.version === 0 ? writer.facets : manifest.facets.fields;
  const changes = mergeRecords([...late, ...input.records]);
  const located = await locateChanges(snapshot, changes, [...new Set(fields.flat())]);
  const youngId = firstIdAt(input.watermark - maxCreationMs);
  const rewrites = planRewrites(manifest.segments, located.inserts, youngId, sizes.maxRows);
  const step = new CompactionStep(snapshot, located, sizes, fields);
  const rewritten = await step.rewriteSegments(rewrites, youngId);
  const values = step.collectValues(rewrites, rewritten);
  const segments = await step.rewriteColumns(rewritten, values);
  const runs = await writeRuns(snapshot, step, values, segments);
  const facetRuns = await writeFacets(snapshot, step, step.countChanges(), segments);
  const { watermark, healedAt } = input;
  const next: Manifest = {
    version: manifest.version + 1,
    watermark,
    healedAt,
    rebuiltUpTo: manifest.rebuiltUpTo,
    segments,
    runs,
    facets: { fields, runs: facetRuns },
  };
  return { next, step };
}

/** What a step did. */
export interface CompactionResult {
  /** Number of records that were absorbed. */
  readonly records: number;
  /** Number of records that wait for a later step. */
  readonly waiting: number;
  /** Whether more records are settled than one step absorbs. */
  readonly hasMore: boolean;
  /** Whether lists read several shards, because the watermark has not passed their end. */
  readonly isSharded: boolean;
}

/**
 * Takes one step: absorbs the oldest settled records.
 * @returns `undefined` when another process was faster.
 */
export async function compact(source: CompactionSource): Promise<CompactionResult | undefined> {
  const { writer, nowMs, sizes = defaultSizes } = source;
  const { manifest = emptyManifest, shards } = await writer.readHead(nowMs);
  const input = await readInput(source, manifest, sizes);
  const { maxWriteUnitsPerSecond, shardsMs } = sizes;
  const isBusy = input.writeUnitsPerSecond > maxWriteUnitsPerSecond;
  // Early, because writers read the item from time to time only.
  if (isBusy && shards.until < nowMs + shardsMs / 2) await writer.openShards(nowMs + shardsMs);
  const isSharded = input.watermark < shards.until;
  // Otherwise, after an import into a log that then gets no records, each list would read all shards for good.
  const passesShards = manifest.watermark < shards.until && !isSharded;
  const { waiting, hasMore } = input;
  const result = { records: input.records.length, waiting, hasMore, isSharded };
  if (input.records.length + input.healing.length === 0 && !passesShards) return result;
  const planned = await nextManifest(source, manifest, input, passesShards);
  if (!planned) return result;
  const { next, step } = planned;
  const live = new Set(manifestNames(next));
  const replaced = manifestNames(manifest).filter((name) => !live.has(name));
  const names: ItemName[] = [...step.items.keys(), ...replaced];
  await recordStep(writer, next, step.snapshotId, { beganAt: nowMs, names });
  await writer.putItems(step.items);
  if (!(await writer.replaceManifest(next))) return undefined;
  // By the manifest before: a reader may still have it, so what this step has replaced stays until the step is an hour old.
  await deleteGarbage(writer, manifest, nowMs);
  return result;
}
