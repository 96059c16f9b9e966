/** The step that writes neighbouring segments as fewer ones, with the rows that wait among their ids, and without those that have expired. */
import { type Manifest, newStepId, placeOf } from '../format/manifest.ts';
import { addWaiting } from '../format/waiting-rows.ts';
import { ColumnReader } from '../read/column-reader.ts';
import type { Merge } from './choose-step.ts';
import type { StepOutput } from './commit-step.ts';
import type { StepSource } from './compaction-source.ts';
import {
  countWaiting,
  fillSegments,
  joinItems,
  type NewSegments,
  type SegmentOptions,
} from './new-segments.ts';
import { readRows } from './read-rows.ts';
import { blockOf, joinBlocks, type RowBlock, rowsAfter, sortRows } from './row-block.ts';
import { livePatches } from './write-patches.ts';

/** Rows of a segment that has got waiting rows, at most, as a share of the usual ones: it would otherwise be divided each time. */
const maxGrownShare = 9 / 8;

function buildMerged(block: RowBlock, isOne: boolean, options: SegmentOptions): NewSegments {
  const { sizes } = options;
  const isGrown = isOne && block.ids.length <= maxGrownShare * sizes.maxRows;
  const maxRows = isGrown ? Math.max(sizes.maxRows, block.ids.length) : sizes.maxRows;
  return fillSegments(block, { ...options, sizes: { ...sizes, maxRows } });
}

export async function mergeSegments(
  { writer, memory, sizes, nowMs }: StepSource,
  before: Manifest,
  { from, to }: Merge,
): Promise<StepOutput> {
  const stepId = newStepId(before.version + 1);
  const columnReader = new ColumnReader(before, writer, memory);
  const waiting = new Map(await columnReader.readWaiting(true));
  const inserted = [...waiting.values()].filter(({ id }) => {
    const place = placeOf(before, id);
    return place >= from && place < to;
  });
  const stored = await readRows(columnReader, before.segments.slice(from, to), nowMs);
  const rows = rowsAfter(inserted, nowMs);
  const block = rows.length === 0 ? stored : sortRows(joinBlocks([stored, blockOf(rows)]));
  const { requireTime } = columnReader;
  const built = buildMerged(block, to - from === 1, { stepId, sizes, requireTime });
  for (const { id } of inserted) waiting.delete(id);
  const waitingItems = addWaiting(
    before.waiting,
    (item) => columnReader.waitingRows(item),
    { ...sizes, added: inserted.map(({ id, to: version }) => ({ id, version })), waiting: waiting.size },
    stepId,
  );
  const segments = countWaiting(
    before.segments.toSpliced(from, to - from, ...built.segments),
    waiting.values(),
  );
  const patches = livePatches(segments, before.patches);
  return {
    manifest: { ...before, segments, patches, waiting: waitingItems.waiting },
    items: joinItems([built.items, waitingItems.items]),
  };
}
