/**
 * Compaction: absorbs settled records of the change log into columns. One step reads the manifest and some records, writes new items
 * under new names, and replaces the manifest. A crash at any point leaves the old manifest, which is complete.
 */

import { firstIdAt } from '../../../model/ids.ts';
import { maxCreationMs } from '../../../model/log-timing.ts';
import { emptyManifest, type ItemName, type Manifest, manifestNames, newStepId } from '../format/manifest.ts';
import { mergeRecords } from '../merge-records.ts';
import { ColumnReader } from '../read/column-reader.ts';
import { chooseRewrites } from './choose-rewrites.ts';
import { deleteGarbage, recordStep } from './delete-garbage.ts';
import { lateRecords, locateChanges } from './locate-changes.ts';
import { counter, joinItems, type NewItems } from './new-segments.ts';
import { type CompactionInput, type CompactionSource, readInput } from './read-input.ts';
import { rewriteColumns, rewriteSegments, valuesOfStep } from './rewrite-segments.ts';
import { defaultSizes } from './sizes.ts';
import { writePatches } from './write-patches.ts';

interface CompactionOutput {
  readonly manifest: Manifest;
  readonly stepId: string;
  readonly items: NewItems;
}

/** Returns what a step writes; `undefined` when there is nothing to absorb. */
async function absorb(
  { writer, memory, sizes = defaultSizes }: CompactionSource,
  before: Manifest,
  { records, healing, watermark, healedAt }: CompactionInput,
): Promise<CompactionOutput | undefined> {
  const columnReader = new ColumnReader(before, writer, memory);
  const late = await lateRecords(columnReader, healing);
  if (late.length + records.length === 0) return undefined;
  const located = await locateChanges(columnReader, mergeRecords([...late, ...records]));
  const youngId = firstIdAt(watermark - maxCreationMs);
  const rewrites = chooseRewrites(before.segments, located.inserts, youngId, sizes.maxRows);
  const stepId = newStepId(before.version + 1);
  const step = { columnReader, located, sizes, stepId, nextNumber: counter() };
  const rewritten = await rewriteSegments(step, rewrites, youngId);
  const values = valuesOfStep(step, rewritten.segments);
  const { segments, items } = await rewriteColumns(step, rewritten.segments, values);
  const written = await writePatches(columnReader, step, values, segments);
  return {
    manifest: {
      version: before.version + 1,
      watermark,
      newestStamp: [...late, ...records].reduce(
        (newest, { stamp }) => Math.max(newest, stamp),
        before.newestStamp,
      ),
      generation: before.generation,
      healedAt,
      rebuiltUpTo: before.rebuiltUpTo,
      segments,
      patches: written.patches,
    },
    stepId,
    items: joinItems([rewritten.items, items, written.items]),
  };
}

interface CompactionResult {
  /** Number of records that were absorbed. */
  readonly records: number;
  /** Number of records that wait for a later step. */
  readonly waiting: number;
  /** Whether more records are settled than one step absorbs. */
  readonly hasMore: boolean;
}

/**
 * Takes one step: absorbs the oldest settled records.
 * @returns `undefined` when another process was faster.
 */
export async function compact(source: CompactionSource): Promise<CompactionResult | undefined> {
  const { writer, nowMs, sizes = defaultSizes } = source;
  const { manifest: before = emptyManifest } = await writer.readHead(nowMs);
  const input = await readInput(source, before, sizes);
  const { records, waiting, hasMore } = input;
  const result = { records: records.length, waiting, hasMore };
  const output = await absorb(source, before, input);
  if (!output) return result;
  const { manifest, stepId, items } = output;
  const live = new Set(manifestNames(manifest));
  const replaced = manifestNames(before).filter((name) => !live.has(name));
  const names: ItemName[] = [...items.keys(), ...replaced];
  await recordStep(writer, manifest, stepId, { beganAt: nowMs, names });
  await writer.putItems(items);
  if (!(await writer.replaceManifest(manifest))) return undefined;
  // By the manifest before: a reader may still have it, so what this step has replaced stays until the step is an hour old.
  await deleteGarbage(writer, before, nowMs);
  return result;
}
