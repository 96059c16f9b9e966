/**
 * The out-of-order rows of a manifest as a segment in memory: lists filter, count and sort them by columns, as the rows of others. Only its ids
 * are special: they are among those of the other segments.
 */
import { buildColumn } from '../format/column.ts';
import { countIds, encodeIds, idAt, positionOfId } from '../format/ids.ts';
import { type Segment, type StepId, versionField } from '../format/manifest.ts';
import type { SmallSegment } from '../format/small-segment.ts';
import type { RowChange } from '../merge-records.ts';

/** Returns out-of-order rows as the item of a small segment. */
export function toSmallSegment(changes: ReadonlyMap<string, RowChange>): SmallSegment {
  const rows = [...changes.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  const fields = new Set(rows.flatMap(({ after = {} }) => Object.keys(after)));
  const columns = new Map(
    [...fields].map((field) => [field, buildColumn(rows.map(({ after }) => after?.[field]))] as const),
  );
  columns.set(versionField, buildColumn(rows.map(({ to }) => String(to))));
  return { ids: encodeIds(rows.map(({ id }) => id)), columns };
}

/** The step of columns that no step has written. */
const noStep: StepId = '0';

/** Returns the description of a segment in memory; `undefined` without rows. @param id a name that tells which rows it has. */
export function describeSegment(id: string, { ids, columns }: SmallSegment): Segment | undefined {
  const rows = countIds(ids);
  if (rows === 0) return undefined;
  return {
    id,
    first: idAt(ids, 0),
    last: idAt(ids, rows - 1),
    rows,
    deleted: 0,
    columns: Object.fromEntries([...columns.keys()].map((field) => [field, noStep])),
    buckets: {},
    patched: {},
    bytes: 0,
    isSmall: true,
  };
}

/**
 * Returns out-of-order rows by the position of the segment that their ids belong to; after the last one for ids that are greater than all of it.
 * @param segments of the manifest.
 * @param ids of all out-of-order rows.
 * @param rows some of them, in ascending order.
 */
export function divideAmongSegments(
  segments: readonly Segment[],
  ids: Buffer,
  rows: Uint32Array,
): Map<number, Uint32Array> {
  const { last } = segments.at(-1) ?? {};
  const boundaries = [...segments.slice(1).map(({ first }) => first), ...(last === undefined ? [] : [last])];
  const ends = [...boundaries.map((boundary) => positionOfId(ids, boundary)), countIds(ids)];
  const divided = new Map<number, Uint32Array>();
  let from = 0;
  for (const [position, end] of ends.entries()) {
    let to = from;
    while (to < rows.length && (rows[to] as number) < end) to += 1;
    if (to > from) divided.set(position, rows.subarray(from, to));
    from = to;
  }
  return divided;
}
