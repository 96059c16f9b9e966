/**
 * The waiting rows of a manifest as a segment in memory: lists filter, count and sort them by columns, as the rows of others. Only its ids are
 * special: they are among those of the other segments, and behind them.
 */
import { buildColumn, type Column } from '../format/column.ts';
import { encodeIdChunks, type IdChunks } from '../format/ids.ts';
import { type Manifest, placeOf, type Segment, versionField } from '../format/manifest.ts';
import type { RowChange } from '../merge-records.ts';

export interface WaitingSegment extends IdChunks {
  /** It has no columns: those that a list needs are made of the rows. */
  readonly segment: Segment;
  /** In the order of their ids. */
  readonly rows: readonly RowChange[];
}

/** Returns waiting rows as a segment. @param id a name that tells which rows it has. */
export function toWaitingSegment(id: string, changes: ReadonlyMap<string, RowChange>): WaitingSegment {
  const rows = [...changes.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  const [first, last] = [rows[0]?.id ?? '', rows.at(-1)?.id ?? ''];
  const counts = { rows: rows.length, deleted: 0, bytes: 0 };
  return {
    segment: { id, first, last, ...counts, columns: {}, buckets: {}, patched: {} },
    rows,
    ...encodeIdChunks(rows.map((row) => row.id)),
  };
}

/** Bytes of a row in memory beside the decoded item, which has its values: the id. */
const rowBytes = 32;

export const bytesOfWaiting = ({ rows }: WaitingSegment): number => rowBytes * rows.length;

export const waitingColumn = ({ rows }: WaitingSegment, field: string): Column =>
  buildColumn(rows.map(({ to, after }) => (field === versionField ? String(to) : after?.[field])));

/** Returns waiting rows by the position of the segment that they belong to; after the last one for ids that are greater than all of it. */
export function divideAmongSegments(
  manifest: Manifest,
  { rows }: WaitingSegment,
  positions: Iterable<number>,
): Map<number, number[]> {
  const divided = new Map<number, number[]>();
  for (const position of positions) {
    const place = placeOf(manifest, (rows[position] as RowChange).id);
    const group = divided.get(place) ?? [];
    divided.set(place, group);
    group.push(position);
  }
  return divided;
}
