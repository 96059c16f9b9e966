/** The step that absorbs records: new rows wait until they are enough for a segment, and new values of others become a patch. */
import type { Row } from '../../model/row.ts';
import { changeDeleted } from '../format/deleted-rows.ts';
import { type Manifest, newStepId, placeOf, type Segment } from '../format/manifest.ts';
import { type MutablePatchValues, type PatchValues, setValue } from '../format/patch.ts';
import { addWaiting, type WaitingRow } from '../format/waiting-rows.ts';
import { mergeRecords, type RowChange } from '../merge-records.ts';
import { ColumnReader } from '../read/column-reader.ts';
import type { StepOutput } from './commit-step.ts';
import type { StepSource } from './compaction-source.ts';
import { locateChanges, type RowUpdate } from './locate-changes.ts';
import { countWaiting, fillSegments, joinItems } from './new-segments.ts';
import type { CompactionInput } from './read-input.ts';
import { blockOf, rowsAfter, type SegmentRow } from './row-block.ts';
import { livePatches, writePatches } from './write-patches.ts';

type Updates = ReadonlyMap<number, readonly RowUpdate[]>;

/** Returns segments with the numbers of their new values and deletions. They are not written again. */
const countUpdates = (segments: readonly Segment[], updates: Updates): Segment[] =>
  segments.map((segment, position) => {
    const ofSegment = updates.get(position);
    if (!ofSegment) return segment;
    const patched: Record<string, number> = { ...segment.patched };
    for (const { values } of ofSegment) {
      for (const field of values.keys()) patched[field] = (patched[field] ?? 0) + 1;
    }
    const deleted = changeDeleted(segment.deleted, {
      added: ofSegment.flatMap(({ weeks }) => weeks.added ?? []),
      removed: ofSegment.flatMap(({ weeks }) => weeks.removed ?? []),
    });
    return { ...segment, patched, deleted };
  });

function valuesOf(segments: readonly Segment[], updates: Updates): PatchValues {
  const patchValues: MutablePatchValues = new Map();
  for (const [position, { id }] of segments.entries()) {
    for (const { row, values } of updates.get(position) ?? []) {
      for (const [field, value] of values) setValue(patchValues, id, field, [row, value]);
    }
  }
  return patchValues;
}

/** Returns what is new of waiting rows: those that have come or have changed, and those that are deleted or in a segment now. */
function changesOfWaiting(before: ReadonlyMap<string, RowChange>, now: readonly SegmentRow[]): WaitingRow[] {
  const gone = new Set(before.keys());
  const changed: WaitingRow[] = [];
  for (const { id, version, values } of now) {
    gone.delete(id);
    // A row of a change has all of its values.
    if (before.get(id)?.to !== version) changed.push({ id, version, after: values as Row });
  }
  return [...changed, ...[...gone].map((id) => ({ id, version: before.get(id)?.to ?? 0 }))];
}

export async function absorb(
  { writer, memory, sizes, nowMs }: StepSource,
  before: Manifest,
  input: Pick<CompactionInput, 'records' | 'watermark'>,
): Promise<StepOutput> {
  const columnReader = new ColumnReader(before, writer, memory);
  const waitingBefore = await columnReader.readWaiting(true);
  const changes = [...mergeRecords(input.records, waitingBefore).values()];
  const located = changes.filter(({ id }) => !waitingBefore.has(id));
  const { inserts, updates } = await locateChanges(columnReader, located, nowMs);
  const waiting = rowsAfter(
    changes.filter(({ id }) => waitingBefore.has(id)),
    nowMs,
  );
  const rows = [...inserts, ...waiting].sort((one, other) => (one.id < other.id ? -1 : 1));
  const last = rows.filter(({ id }) => placeOf(before, id) === before.segments.length);
  const stepId = newStepId(before.version + 1);
  const { requireTime } = columnReader;
  const enough = blockOf(last.length < sizes.minSegmentRows ? [] : last);
  const added = fillSegments(enough, { stepId, sizes, requireTime });
  const left = added.segments.length > 0 ? rows.slice(0, rows.length - last.length) : rows;
  const segments = countWaiting([...countUpdates(before.segments, updates), ...added.segments], left);
  const values = valuesOf(before.segments, updates);
  const patches = await writePatches(columnReader, { stepId, sizes }, values, segments);
  const waitingItems = addWaiting(
    before.waiting,
    (item) => columnReader.waitingRows(item),
    { ...sizes, added: changesOfWaiting(waitingBefore, left), waiting: left.length },
    stepId,
  );
  const manifest: Manifest = {
    ...before,
    watermark: input.watermark,
    segments,
    patches: livePatches(segments, patches.patches),
    waiting: waitingItems.waiting,
  };
  return { manifest, items: joinItems([added.items, patches.items, waitingItems.items]) };
}
