/** The step that writes neighbouring segments as fewer ones, without their deleted rows. */
import type { ColumnPatch } from '../format/column.ts';
import type { ColumnValue } from '../format/dictionary.ts';
import {
  isDeletedVersion,
  type Manifest,
  newStepId,
  type Segment,
  versionField,
} from '../format/manifest.ts';
import { type MutablePatchValues, type PatchValues, setValue } from '../format/patch.ts';
import { ColumnReader } from '../read/column-reader.ts';
import type { Merge } from './choose-step.ts';
import { commitStep } from './commit-step.ts';
import type { StepSource } from './compaction-source.ts';
import { counter, fillSegments, joinItems, type NewItems } from './new-segments.ts';
import { readRows } from './read-rows.ts';
import { buildPatch, livePatches, newerPatches } from './write-patches.ts';

/** Returns whether two segments have the same items. Their values may differ in patches. */
export const hasSameItems = (one: Segment, other: Segment): boolean =>
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

/**
 * Merges segments. Other processes may absorb records meanwhile: their values of the merged segments become a patch of the new ones.
 * @returns the new manifest; `undefined` when another process has written one of the segments again, or has restored a row of them.
 */
export async function mergeSegments(
  source: StepSource,
  before: Manifest,
  { from, to }: Merge,
): Promise<Manifest | undefined> {
  const { writer, memory, sizes } = source;
  const requireTime = (): void => writer.requireTime();
  const merged = before.segments.slice(from, to);
  const columnReader = new ColumnReader(before, writer, memory);
  const block = await readRows(columnReader, merged, requireTime);
  // The columns have the values of the manifest before, and not those of patches that are written meanwhile.
  const stepId = newStepId(before.version);
  const options = { stepId, sizes, nextNumber: counter(), requireTime };
  const built = fillSegments(block, options);

  /** Returns the values of newer patches, as values of the new segments; `undefined` when the new segments have no place for them. */
  const readNewerValues = async (current: Manifest): Promise<PatchValues | undefined> => {
    const newer = newerPatches(current, before);
    const currentReader = new ColumnReader(current, writer, memory);
    await currentReader.loadPatches(newer);
    const patches = newer.map((patch) => currentReader.patchValues(patch));
    const findRow = newer.length > 0 ? findRows(block.ids, built.segments) : () => undefined;
    const newRowOf: RowFinder = (segment, row) => findRow(columnReader.idOf(segment, row));
    const values: MutablePatchValues = new Map();
    const haveRestored = merged.map((segment) => translate(values, segment, patches, newRowOf));
    return haveRestored.includes(true) ? undefined : values;
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
    const values = await readNewerValues(current);
    if (!values) return undefined;
    const patch = buildPatch(newStepId(current.version + 1), values, sizes);
    const segments = [
      ...current.segments.slice(0, start),
      ...countPatched(built.segments, values),
      ...current.segments.slice(start + merged.length),
    ];
    const items = joinItems([written, patch.items]);
    written = new Map();
    const patches = livePatches(segments, [...current.patches, ...patch.patches]);
    return { manifest: { ...current, segments, patches }, items };
  });
}
