/** The step that absorbs records: it adds their new rows as segments, and their new values as a patch. */

import { stampOf } from '../../../model/change-log.ts';
import { type Manifest, newGeneration, newStepId, type Segment } from '../format/manifest.ts';
import { type MutablePatchValues, type PatchValues, setValue } from '../format/patch.ts';
import { mergeRecords } from '../merge-records.ts';
import { addNewestStamps } from '../newest-stamps.ts';
import { ColumnReader } from '../read/column-reader.ts';
import { youngIdAt } from './choose-step.ts';
import { commitStep, type StepOutput } from './commit-step.ts';
import type { StepSource } from './compaction-source.ts';
import { type LocatedChanges, locateChanges, type RowUpdate } from './locate-changes.ts';
import {
  buildSegments,
  counter,
  fillSegments,
  joinItems,
  joinSegments,
  type NewSegments,
  type SegmentOptions,
} from './new-segments.ts';
import { type Placement, placeRows } from './place-rows.ts';
import { type CompactionInput, halveInput } from './read-input.ts';
import { readRows } from './read-rows.ts';
import { blockOf, joinBlocks, type RowBlock, sliceRows, sortRows } from './row-block.ts';
import { livePatches, writePatches } from './write-patches.ts';

interface AbsorbingStep extends SegmentOptions {
  readonly columnReader: ColumnReader;
  readonly located: LocatedChanges;
  /** Ids from this one on are expected to be followed by others that are not much greater. */
  readonly youngId: string;
}

/** Rows of full segments that one step writes again because of rows that come out of order. */
const maxOutOfOrderSegments = 2;

const kept = (segments: readonly Segment[]): NewSegments => ({ segments, items: new Map() });

function updatesOf({ columnReader, located }: AbsorbingStep, segment: Segment): readonly RowUpdate[] {
  const position = columnReader.manifest.segments.findIndex(({ id }) => id === segment.id);
  return located.updates.get(position) ?? [];
}

/** Returns segments with the numbers of their new values and deletions. They are not written again. */
const countUpdates = (step: AbsorbingStep, segments: readonly Segment[]): Segment[] =>
  segments.map((segment) => {
    const updates = updatesOf(step, segment);
    if (updates.length === 0) return segment;
    const patched: Record<string, number> = { ...segment.patched };
    for (const { values } of updates) {
      for (const field of values.keys()) patched[field] = (patched[field] ?? 0) + 1;
    }
    const deleted = updates.reduce((sum, update) => sum + update.deleted, segment.deleted);
    return { ...segment, patched, deleted };
  });

/** Returns the segments of the last rows of a log. Young rows stay apart, unless there are so few that they are soon written again anyway. */
function buildLastSegments(block: RowBlock, step: AbsorbingStep): NewSegments {
  const { ids } = block;
  const isYoung = (id: string): boolean => id >= step.youngId;
  const firstYoung = ids.length > step.sizes.maxUndividedRows ? ids.findIndex(isYoung) : -1;
  const settled = firstYoung < 0 ? ids.length : firstYoung;
  return joinSegments([
    fillSegments(sliceRows(block, 0, settled), step),
    fillSegments(sliceRows(block, settled, ids.length), step),
  ]);
}

/** Writes the segments that get new rows. Returns all segments of the new manifest. */
async function writeSegments(step: AbsorbingStep, placements: readonly Placement[]): Promise<NewSegments> {
  const { columnReader, requireTime } = step;
  const { segments } = columnReader.manifest;
  const written: NewSegments[] = [];
  let position = 0;
  for (const { from, to, inserts } of placements) {
    written.push(kept(countUpdates(step, segments.slice(position, from))));
    const before = await readRows(columnReader, segments.slice(from, to), requireTime, (segment) =>
      updatesOf(step, segment),
    );
    const block = sortRows(joinBlocks([before, blockOf(inserts)]));
    written.push(to === segments.length ? buildLastSegments(block, step) : buildSegments(block, step));
    position = to;
  }
  return joinSegments([...written, kept(countUpdates(step, segments.slice(position)))]);
}

/** Returns the new values of the segments that are not written again. */
function valuesOf(step: AbsorbingStep, segments: readonly Segment[]): PatchValues {
  const values: MutablePatchValues = new Map();
  for (const segment of segments) {
    for (const { row, values: own } of updatesOf(step, segment)) {
      for (const [field, value] of own) setValue(values, segment.id, field, [row, value]);
    }
  }
  return values;
}

/** Returns whether rows that come out of order would make a step write too many rows again. */
function isTooScattered(
  { segments }: Manifest,
  placements: readonly Placement[],
  { maxRows }: StepSource['sizes'],
): boolean {
  const rewritten = placements.flatMap(({ from, to }) => segments.slice(from, to));
  return (
    placements.length > 1 &&
    rewritten.reduce((sum, { rows }) => sum + rows, 0) > maxOutOfOrderSegments * maxRows
  );
}

/** Returns what a step writes that absorbs records into a manifest, and what it absorbs. */
async function absorbInto(
  source: StepSource,
  current: Manifest,
  input: CompactionInput,
): Promise<{ readonly output: StepOutput; readonly absorbed: CompactionInput }> {
  const { writer, memory, sizes } = source;
  const { watermark } = input;
  const columnReader = new ColumnReader(current, writer, memory);
  const located = await locateChanges(columnReader, mergeRecords(input.records));
  const youngId = youngIdAt(watermark);
  const placements = placeRows(current.segments, located.inserts, youngId, sizes);
  // What is late has no order: it is absorbed as a whole.
  const isDivisible = watermark > current.watermark && isTooScattered(current, placements, sizes);
  const less = isDivisible ? halveInput(input) : input;
  if (less.records.length < input.records.length) return absorbInto(source, current, less);
  const requireTime = (): void => writer.requireTime();
  const stepId = newStepId(current.version + 1);
  const step = { columnReader, located, youngId, sizes, stepId, nextNumber: counter(), requireTime };
  const { segments, items } = await writeSegments(step, placements);
  const patches = await writePatches(columnReader, step, valuesOf(step, segments), segments);
  const manifest: Manifest = {
    ...current,
    watermark,
    absorbed: input.absorbed.filter((key) => stampOf(key) > watermark),
    newestStamps: addNewestStamps(current.newestStamps, input.records),
    generation: input.isRepair ? newGeneration() : current.generation,
    segments,
    patches: livePatches(segments, patches.patches),
  };
  return { output: { manifest, items: joinItems([items, patches.items]) }, absorbed: input };
}

/** What an absorbing step has done. */
interface AbsorbResult {
  readonly manifest: Manifest;
  readonly absorbed: CompactionInput;
}

/**
 * Absorbs records. If another process merges segments or writes columns again meanwhile, the records are absorbed into the new manifest.
 * @returns `undefined` when another process has absorbed records meanwhile.
 */
export async function absorb(
  source: StepSource,
  before: Manifest,
  input: CompactionInput,
): Promise<AbsorbResult | undefined> {
  let absorbed = input;
  const manifest = await commitStep(source, before, async (current) => {
    if (current.watermark !== before.watermark) return undefined;
    const result = await absorbInto(source, current, input);
    absorbed = result.absorbed;
    return result.output;
  });
  return manifest && { manifest, absorbed };
}
