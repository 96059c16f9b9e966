/** The step that writes neighbouring segments as fewer ones, without their deleted rows. */
import type { ColumnPatch } from '../format/column.ts';
import type { ColumnValue } from '../format/dictionary.ts';
import {
  isDeletedVersion,
  type Manifest,
  newStepId,
  placeOf,
  type Segment,
  versionField,
} from '../format/manifest.ts';
import { type MutablePatchValues, type PatchValues, setValue } from '../format/patch.ts';
import { addWaiting } from '../format/waiting-rows.ts';
import type { RowChange } from '../merge-records.ts';
import { ColumnReader } from '../read/column-reader.ts';
import type { Merge } from './choose-step.ts';
import { commitStep } from './commit-step.ts';
import type { StepSource } from './compaction-source.ts';
import {
  countWaiting,
  fillSegments,
  joinItems,
  type NewItems,
  type NewSegments,
  type SegmentOptions,
} from './new-segments.ts';
import { readRows } from './read-rows.ts';
import { blockOf, joinBlocks, type RowBlock, type SegmentRow, sortRows } from './row-block.ts';
import { buildPatch, livePatches, newerPatches } from './write-patches.ts';

/** Returns whether two segments have the same items. Their values may differ in patches. */
const hasSameItems = (one: Segment, other: Segment): boolean =>
  one.id === other.id && JSON.stringify(one.columns) === JSON.stringify(other.columns);

/** A row of a new segment. */
interface NewRow {
  readonly segmentId: string;
  readonly row: number;
}

/** Returns the function that finds a row of new segments by its id. @param ids of all rows, in the order of the segments. */
function findRows(ids: readonly string[], segments: readonly Segment[]) {
  const positionOf = new Map(ids.map((id, position) => [id, position]));
  return (id: string): NewRow | undefined => {
    let row = positionOf.get(id);
    if (row === undefined) return undefined;
    for (const segment of segments) {
      if (row < segment.rows) return { segmentId: segment.id, row };
      row -= segment.rows;
    }
    return undefined;
  };
}

/** Finds the row of a new segment that has the values of a row of a merged one; `undefined` for a row that was left out because it was deleted. */
type RowFinder = (segment: Segment, row: number) => NewRow | undefined;

/** Adds the values that a patch has of one field of a merged segment. @returns those of rows that were left out, by row. */
function addTranslated(
  values: MutablePatchValues,
  field: string,
  columnPatch: ColumnPatch,
  newRowOf: (row: number) => NewRow | undefined,
): Map<number, ColumnValue> {
  const leftOut = new Map<number, ColumnValue>();
  for (const [row, value] of columnPatch) {
    const found = newRowOf(row);
    if (found) setValue(values, found.segmentId, field, [found.row, value]);
    else leftOut.set(row, value);
  }
  return leftOut;
}

/**
 * Returns the values that patches have of a merged segment, as values of the new ones.
 * @param patches the oldest first.
 * @returns whether they restore a row that was left out: the new segments have no place for it.
 */
function translate(
  values: MutablePatchValues,
  segment: Segment,
  patches: readonly PatchValues[],
  newRowOf: RowFinder,
): boolean {
  const versions = new Map<number, ColumnValue>();
  for (const patch of patches) {
    for (const [field, columnPatch] of patch.get(segment.id) ?? []) {
      const leftOut = addTranslated(values, field, columnPatch, (row) => newRowOf(segment, row));
      if (field === versionField) for (const [row, version] of leftOut) versions.set(row, version);
    }
  }
  return ![...versions.values()].every(isDeletedVersion);
}

/** Returns segments with the numbers of the values and deletions that a patch has of them. */
const countPatched = (segments: readonly Segment[], values: PatchValues): Segment[] =>
  segments.map((segment) => {
    const own = [...(values.get(segment.id) ?? [])];
    const versions = values.get(segment.id)?.get(versionField)?.values() ?? [];
    return {
      ...segment,
      patched: Object.fromEntries(own.map(([field, columnPatch]) => [field, columnPatch.size])),
      deleted: [...versions].filter(isDeletedVersion).length,
    };
  });

/** Returns the waiting rows that belong to some segments. */
const waitingOf = (
  manifest: Manifest,
  { from, to }: Merge,
  changes: ReadonlyMap<string, RowChange>,
): RowChange[] =>
  [...changes.values()].filter(({ id }) => {
    const place = placeOf(manifest, id);
    return place >= from && place < to;
  });

const toSegmentRow = ({ id, to: version, after = {} }: RowChange): SegmentRow => ({
  id,
  version,
  values: after,
});

/** Adds the values of merged waiting rows that have changed meanwhile. @returns whether one of them was deleted. */
function addNewer(
  values: MutablePatchValues,
  merged: readonly RowChange[],
  current: ReadonlyMap<string, RowChange>,
  findRow: (id: string) => NewRow | undefined,
): boolean {
  for (const { id, to } of merged) {
    const now = current.get(id);
    if (!now) return true;
    const found = findRow(id);
    if (!found || now.to === to) continue;
    for (const [field, value] of Object.entries({ ...now.after, [versionField]: String(now.to) }))
      setValue(values, found.segmentId, field, [found.row, value]);
  }
  return false;
}

/** Rows of a segment that has got waiting rows, at most, as a share of the usual ones: it would otherwise be divided each time. */
const maxGrownShare = 9 / 8;

/** Returns the segments of merged rows. */
function buildMerged(block: RowBlock, isOne: boolean, options: SegmentOptions): NewSegments {
  const { sizes } = options;
  const isGrown = isOne && block.ids.length <= maxGrownShare * sizes.maxRows;
  const maxRows = isGrown ? Math.max(sizes.maxRows, block.ids.length) : sizes.maxRows;
  return fillSegments(block, { ...options, sizes: { ...sizes, maxRows } });
}

/** Returns whether new segments are between their neighbours in the order of ids. */
const fitsBetween = (
  built: readonly Segment[],
  before: Segment | undefined,
  after: Segment | undefined,
): boolean =>
  (!before || before.last < (built[0]?.first ?? 'g')) && (!after || after.first > (built.at(-1)?.last ?? ''));

/**
 * Merges segments, and the waiting rows among their ids. Other processes may absorb records meanwhile: their values of the merged rows become a patch of
 * the new segments.
 * @returns the new manifest; `undefined` when another process has written one of the segments again, has restored a row of them, or has deleted
 * one of the waiting rows.
 */
export async function mergeSegments(
  source: StepSource,
  before: Manifest,
  merge: Merge,
): Promise<Manifest | undefined> {
  const { from, to } = merge;
  const { writer, memory, sizes } = source;
  const requireTime = (): void => writer.requireTime();
  const merged = before.segments.slice(from, to);
  const columnReader = new ColumnReader(before, writer, memory);
  const inserted = waitingOf(before, merge, await columnReader.readWaiting());
  const stored = await readRows(columnReader, merged, requireTime);
  const block =
    inserted.length === 0 ? stored : sortRows(joinBlocks([stored, blockOf(inserted.map(toSegmentRow))]));
  // The columns have the values of the manifest before, and not those of patches that are written meanwhile.
  const stepId = newStepId(before.version);
  const options = { stepId, sizes, requireTime };
  const built = buildMerged(block, to - from === 1, options);

  /** Returns newer values, as values of the new segments; `undefined` when the new segments have no place for them. */
  const readNewerValues = async (
    currentReader: ColumnReader,
    waiting: ReadonlyMap<string, RowChange>,
  ): Promise<PatchValues | undefined> => {
    const newer = newerPatches(currentReader.manifest, before);
    await currentReader.loadPatches(newer);
    const patches = newer.map((patch) => currentReader.patchValues(patch));
    const isChanged = currentReader.manifest.version > before.version;
    const findRow = isChanged ? findRows(block.ids, built.segments) : () => undefined;
    const newRowOf: RowFinder = (segment, row) => findRow(columnReader.idOf(segment, row));
    const values: MutablePatchValues = new Map();
    const haveRestored = merged.map((segment) => translate(values, segment, patches, newRowOf));
    const hasDeleted = addNewer(values, inserted, waiting, findRow);
    return hasDeleted || haveRestored.includes(true) ? undefined : values;
  };

  let written: NewItems = built.items;
  return commitStep(source, before, async (current) => {
    const start = current.segments.findIndex(({ id }) => id === merged[0]?.id);
    const now = current.segments.slice(start, start + merged.length);
    const isUnchanged = merged.every((segment, position) => {
      const other = now[position];
      return other !== undefined && hasSameItems(segment, other);
    });
    if (start < 0 || !isUnchanged) return undefined;
    const [earlier, later] = [
      current.segments.slice(0, start),
      current.segments.slice(start + merged.length),
    ];
    if (!fitsBetween(built.segments, earlier.at(-1), later[0])) return undefined;
    const currentReader = new ColumnReader(current, writer, memory);
    const waiting = await currentReader.readWaiting();
    const values = await readNewerValues(currentReader, waiting);
    if (!values) return undefined;
    const step = newStepId(current.version + 1);
    const patch = buildPatch(step, values, sizes);
    const gone = inserted.map(({ id, to: version }) => ({ id, version }));
    for (const { id } of gone) waiting.delete(id);
    const waitingItems = addWaiting(
      current.waiting,
      (item) => currentReader.waitingRows(item),
      { added: gone, waiting: waiting.size },
      step,
    );
    const all = [...earlier, ...countPatched(built.segments, values), ...later];
    const segments = countWaiting(all, waiting.values());
    const items = joinItems([written, patch.items, waitingItems.items]);
    written = new Map();
    const patches = livePatches(segments, [...current.patches, ...patch.patches]);
    return { manifest: { ...current, segments, patches, waiting: waitingItems.waiting }, items };
  });
}
