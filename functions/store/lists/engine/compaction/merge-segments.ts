/** The step that writes neighbouring segments as fewer ones, without their deleted rows. */
import { deletedVersion, type Manifest, newStepId, type Segment, versionField } from '../format/manifest.ts';
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

/** Adds the values that a patch has of merged segments, as values of the new ones. Deleted rows have no new row, and never change again. */
function addTranslated(
  values: MutablePatchValues,
  merged: readonly Segment[],
  patchValues: PatchValues,
  newRowOf: (segment: Segment, row: number) => NewRow | undefined,
): void {
  for (const segment of merged) {
    for (const [field, columnPatch] of patchValues.get(segment.id) ?? []) {
      for (const [row, value] of columnPatch) {
        const found = newRowOf(segment, row);
        if (found) setValue(values, found.segmentId, field, [found.row, value]);
      }
    }
  }
}

/** Returns segments with the numbers of the values and deletions that a patch has of them. */
const countPatched = (segments: readonly Segment[], values: PatchValues): Segment[] =>
  segments.map((segment) => {
    const own = [...(values.get(segment.id) ?? [])];
    const versions = values.get(segment.id)?.get(versionField)?.values() ?? [];
    return {
      ...segment,
      patched: Object.fromEntries(own.map(([field, columnPatch]) => [field, columnPatch.size])),
      deleted: [...versions].filter((version) => version === deletedVersion).length,
    };
  });

/**
 * Merges segments. Other processes may absorb records meanwhile: their values of the merged segments become a patch of the new ones.
 * @returns the new manifest; `undefined` when another process has written one of the segments again.
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

  const translate = async (current: Manifest): Promise<PatchValues> => {
    const patches = newerPatches(current, before);
    const currentReader = new ColumnReader(current, writer, memory);
    await currentReader.loadPatches(patches);
    const findRow = patches.length > 0 ? findRows(block.ids, built.segments) : () => undefined;
    const values: MutablePatchValues = new Map();
    for (const patch of patches)
      addTranslated(values, merged, currentReader.patchValues(patch), (segment, row) =>
        findRow(columnReader.idOf(segment, row)),
      );
    return values;
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
    const values = await translate(current);
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
