/** The step that absorbs records: it adds their new rows as segments, those that come out of order to the ones that wait, and new values as a patch. */
import type { Row } from '../../../model/row.ts';
import { type Manifest, newStepId, type Segment } from '../format/manifest.ts';
import { addOutOfOrder, type OutOfOrderRow } from '../format/out-of-order-rows.ts';
import { type MutablePatchValues, type PatchValues, setValue } from '../format/patch.ts';
import { mergeRecords, type RowChange } from '../merge-records.ts';
import { ColumnReader } from '../read/column-reader.ts';
import { youngIdAt } from './choose-step.ts';
import { commitStep, type StepOutput } from './commit-step.ts';
import type { StepSource } from './compaction-source.ts';
import { type LocatedChanges, locateChanges, type RowUpdate } from './locate-changes.ts';
import {
  counter,
  fillSegments,
  joinItems,
  joinSegments,
  type NewSegments,
  type SegmentOptions,
} from './new-segments.ts';
import { countOutOfOrder, placeRows } from './place-rows.ts';
import type { CompactionInput } from './read-input.ts';
import { readRows } from './read-rows.ts';
import { blockOf, joinBlocks, type RowBlock, type SegmentRow, sliceRows, sortRows } from './row-block.ts';
import { livePatches, writePatches } from './write-patches.ts';

interface AbsorbingStep extends SegmentOptions {
  readonly columnReader: ColumnReader;
  readonly located: LocatedChanges;
  /** Ids from this one on are expected to be followed by others that are not much greater. */
  readonly youngId: string;
}

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
async function writeSegments(
  step: AbsorbingStep,
  from: number,
  inserts: readonly SegmentRow[],
): Promise<NewSegments> {
  const { columnReader, requireTime } = step;
  const { segments } = columnReader.manifest;
  const unchanged = kept(countUpdates(step, segments.slice(0, from)));
  if (inserts.length === 0) return unchanged;
  const before = await readRows(columnReader, segments.slice(from), requireTime, (segment) =>
    updatesOf(step, segment),
  );
  const block = sortRows(joinBlocks([before, blockOf(inserts)]));
  return joinSegments([unchanged, buildLastSegments(block, step)]);
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

/** Returns what is new of out-of-order rows: those that have come or have changed, and those that are deleted or in a segment now. */
function changesOfOutOfOrder(
  before: ReadonlyMap<string, RowChange>,
  now: readonly SegmentRow[],
): OutOfOrderRow[] {
  const left = new Set(before.keys());
  const changed: OutOfOrderRow[] = [];
  for (const { id, version, values } of now) {
    left.delete(id);
    // A row of a change has all of its values.
    if (before.get(id)?.to !== version) changed.push({ id, version, after: values as Row });
  }
  return [...changed, ...[...left].map((id) => ({ id, version: before.get(id)?.to ?? 0 }))];
}

/** Divides changes into those of out-of-order rows, as the rows that these are now, and all others. */
function divideChanges(
  changes: ReadonlyMap<string, RowChange>,
  outOfOrder: ReadonlyMap<string, RowChange>,
): { readonly waiting: readonly SegmentRow[]; readonly others: ReadonlyMap<string, RowChange> } {
  const waiting: SegmentRow[] = [];
  const others = new Map<string, RowChange>();
  for (const [id, change] of changes) {
    if (!outOfOrder.has(id)) others.set(id, change);
    else if (change.after) waiting.push({ id, version: change.to, values: change.after });
  }
  return { waiting, others };
}

/** Returns what a step writes that absorbs records into a manifest. */
async function absorbInto(
  source: StepSource,
  current: Manifest,
  input: CompactionInput,
): Promise<StepOutput> {
  const { writer, memory, sizes, nowMs } = source;
  const { watermark } = input;
  const columnReader = new ColumnReader(current, writer, memory);
  const before = await columnReader.readOutOfOrder();
  const { waiting, others } = divideChanges(mergeRecords(input.records, before), before);
  const located = await locateChanges(columnReader, others);
  const youngId = youngIdAt(nowMs);
  const rows = [...located.inserts, ...waiting].sort((one, other) => (one.id < other.id ? -1 : 1));
  const { from, inserts, outOfOrder } = placeRows(current.segments, rows, youngId, sizes);
  const requireTime = (): void => writer.requireTime();
  const stepId = newStepId(current.version + 1);
  const step = { columnReader, located, youngId, sizes, stepId, nextNumber: counter(), requireTime };
  const written = await writeSegments(step, from, inserts);
  const segments = countOutOfOrder(written.segments, outOfOrder);
  const patches = await writePatches(columnReader, step, valuesOf(step, segments), segments);
  const waitingItems = addOutOfOrder(
    current.outOfOrder,
    (item) => columnReader.outOfOrderRows(item),
    { added: changesOfOutOfOrder(before, outOfOrder), waiting: outOfOrder.length },
    stepId,
  );
  const manifest: Manifest = {
    ...current,
    watermark,
    segments,
    patches: livePatches(segments, patches.patches),
    outOfOrder: waitingItems.outOfOrder,
  };
  return { manifest, items: joinItems([written.items, patches.items, waitingItems.items]) };
}

/**
 * Absorbs records. If another process merges segments or writes columns again meanwhile, the records are absorbed into the new manifest.
 * @returns the new manifest; `undefined` when another process has absorbed records meanwhile.
 */
export const absorb = (
  source: StepSource,
  before: Manifest,
  input: CompactionInput,
): Promise<Manifest | undefined> =>
  commitStep(source, before, async (current) => {
    if (current.watermark !== before.watermark) return undefined;
    return absorbInto(source, current, input);
  });
