/** Writes segments again when they get new rows, and columns when runs replace too many of their values. */
import { encodeColumnItems } from '../format/buckets.ts';
import { buildColumn, columnValues, patchColumn, valueAt } from '../format/column.ts';
import { deletedVersion, type Segment, storedFields, versionField } from '../format/manifest.ts';
import { type MutableRunValues, patchOf, type RunValues, setValue } from '../format/run.ts';
import type { ColumnReader } from '../read/column-reader.ts';
import type { Rewrite } from './choose-rewrites.ts';
import type { LocatedChanges, RowUpdate } from './locate-changes.ts';
import {
  areTooLarge,
  buildSegments,
  columnItems,
  countBuckets,
  fillSegments,
  joinSegments,
  type NewSegments,
  type SegmentOptions,
  type SegmentRow,
} from './new-segments.ts';
import type { CompactionSizes } from './sizes.ts';

interface CompactionStep extends SegmentOptions {
  readonly columnReader: ColumnReader;
  readonly located: LocatedChanges;
}

const kept = (segments: readonly Segment[]): NewSegments => ({ segments, items: new Map() });

function updatesOf({ columnReader, located }: CompactionStep, segment: Segment): readonly RowUpdate[] {
  const position = columnReader.manifest.segments.findIndex(({ id }) => id === segment.id);
  return located.updates.get(position) ?? [];
}

/** Returns the live rows of a segment whose columns are in memory, with the changes of this step. */
function rowsOfOne(step: CompactionStep, segment: Segment): SegmentRow[] {
  const { columnReader } = step;
  const updated = new Map(updatesOf(step, segment).map((update) => [update.row, update]));
  const columns = storedFields(segment).map((field) => [field, columnReader.column(segment, field)] as const);
  const rows: SegmentRow[] = [];
  for (let row = 0; row < segment.rows; row += 1) {
    const values = Object.fromEntries(columns.map(([field, column]) => [field, valueAt(column, row)]));
    for (const [field, value] of updated.get(row)?.values ?? []) values[field] = value;
    const { [versionField]: version, ...own } = values;
    if (version === deletedVersion) continue;
    rows.push({ id: columnReader.idOf(segment, row), version: Number(version), values: own });
  }
  return rows;
}

/** Reads the live rows of segments, with the changes of this step. */
async function rowsOf(step: CompactionStep, segments: readonly Segment[]): Promise<SegmentRow[]> {
  const fields = [...new Set(segments.flatMap(storedFields))];
  await Promise.all([
    step.columnReader.loadColumns(fields, segments),
    step.columnReader.loadAllIds(segments),
  ]);
  return segments.flatMap((segment) => rowsOfOne(step, segment));
}

/** Returns segments with the numbers of their new values and deletions. They are not written again. */
const countUpdates = (step: CompactionStep, segments: readonly Segment[]): Segment[] =>
  segments.map((segment) => {
    const updates = updatesOf(step, segment);
    if (updates.length === 0) return segment;
    const patched: Record<string, number> = { ...segment.patched };
    for (const { values } of updates) {
      for (const field of values.keys()) patched[field] = (patched[field] ?? 0) + 1;
    }
    const deleted = segment.deleted + updates.filter(({ isDeleted }) => isDeleted).length;
    return { ...segment, patched, deleted };
  });

/** Writes segments again. Returns all segments of the new manifest. */
export async function rewriteSegments(
  step: CompactionStep,
  rewrites: readonly Rewrite[],
  youngId: string,
): Promise<NewSegments> {
  const { segments } = step.columnReader.manifest;
  const written: NewSegments[] = [];
  let position = 0;
  for (const { from, to, inserts } of rewrites) {
    written.push(kept(countUpdates(step, segments.slice(position, from))));
    const all = [...(await rowsOf(step, segments.slice(from, to))), ...inserts];
    const rows = all.sort((one, other) => (one.id < other.id ? -1 : 1));
    if (to === segments.length) {
      const young = rows.filter(({ id }) => id >= youngId);
      const settled = rows.slice(0, rows.length - young.length);
      written.push(fillSegments(settled, step), fillSegments(young, step));
    } else {
      written.push(buildSegments(rows, step));
    }
    position = to;
  }
  return joinSegments([...written, kept(countUpdates(step, segments.slice(position)))]);
}

/** Returns the new values of the segments that are not written again. */
export function valuesOfStep(step: CompactionStep, segments: readonly Segment[]): RunValues {
  const values: MutableRunValues = new Map();
  for (const segment of segments) {
    for (const { row, values: own } of updatesOf(step, segment)) {
      for (const [field, value] of own) setValue(values, segment.id, field, [row, value]);
    }
  }
  return values;
}

/** Returns the columns to write again, by segment: those with the largest share of replaced values. */
function fieldsToRewrite(
  segments: readonly Segment[],
  { maxShareOfColumn, maxRewrittenColumns }: CompactionSizes,
): Map<string, string[]> {
  const columns = segments
    .flatMap(({ id, rows, patched }) =>
      Object.entries(patched).map(([field, count]) => ({ id, field, share: count / rows })),
    )
    .filter(({ share }) => share > maxShareOfColumn)
    .sort((one, other) => other.share - one.share)
    .slice(0, maxRewrittenColumns);
  const bySegment = new Map<string, string[]>();
  for (const { id, field } of columns) bySegment.set(id, [...(bySegment.get(id) ?? []), field]);
  return bySegment;
}

/** Writes some columns of a segment again. Returns the segment, or several when the columns outgrow their items. */
async function rewriteFields(
  step: CompactionStep,
  segment: Segment,
  fields: readonly string[],
  values: RunValues,
): Promise<NewSegments> {
  const { columnReader, stepId, sizes } = step;
  await columnReader.loadColumns(fields, [segment]);
  const columns = new Map<string, Buffer[]>();
  for (const field of fields) {
    const patched = patchColumn(columnReader.column(segment, field), patchOf(values, segment.id, field));
    // Built again, because the dictionary of a patched column also has the values that were replaced.
    columns.set(field, encodeColumnItems(buildColumn(columnValues(patched)), sizes.bucketBytes));
  }
  if (areTooLarge(columns)) return buildSegments(await rowsOf(step, [segment]), step);
  const ofOthers = (counts: Readonly<Record<string, number>>): Record<string, number> =>
    Object.fromEntries(Object.entries(counts).filter(([field]) => !fields.includes(field)));
  const own = Object.fromEntries(fields.map((field) => [field, stepId]));
  const written: Segment = {
    ...segment,
    columns: { ...segment.columns, ...own },
    buckets: { ...ofOthers(segment.buckets), ...countBuckets(columns) },
    patched: ofOthers(segment.patched),
  };
  return { segments: [written], items: columnItems(written, columns) };
}

/** Writes columns again when runs replace too many of their values. Returns all segments of the new manifest. */
export async function rewriteColumns(
  step: CompactionStep,
  segments: readonly Segment[],
  values: RunValues,
): Promise<NewSegments> {
  const rewritten = fieldsToRewrite(segments, step.sizes);
  const written: NewSegments[] = [];
  for (const segment of segments) {
    const fields = rewritten.get(segment.id);
    written.push(fields ? await rewriteFields(step, segment, fields, values) : kept([segment]));
  }
  return joinSegments(written);
}
