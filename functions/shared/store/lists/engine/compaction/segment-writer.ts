/** Writes segments: rows as columns and chunks of ids. */
import type { Value } from '../../../model/row.ts';
import { buildColumn, encodeColumn } from '../column.ts';
import { countRow, type FacetCounts } from '../facets.ts';
import { encodeIdChunks } from '../ids.ts';
import {
  columnName,
  type FacetFields,
  fenceName,
  type ItemName,
  idsName,
  maxItemBytes,
  type Segment,
  type SnapshotId,
  versionField,
} from '../manifest.ts';

/** A row of a segment with all its values. */
export interface SegmentRow {
  readonly id: string;
  readonly version: number;
  readonly values: Readonly<Record<string, Value | undefined>>;
}

/** Items to write, by name. */
export type NewItems = Map<ItemName, Uint8Array>;

/**
 * Rows in a segment, at most. In larger segments, columns would exceed an item; in smaller ones, more read units would be lost to columns
 * that fill their last 4 KB in part. Two bytes are enough for the ordinals of a field whose values are all different.
 */
export const maxSegmentRows = 32_768;

/** Returns whether the rows of some columns must be divided. */
export const areTooLarge = (columns: ReadonlyMap<string, Buffer>): boolean =>
  [...columns.values()].some((bytes) => bytes.length > maxItemBytes);

function encodeColumns(rows: readonly SegmentRow[]): Map<string, Buffer> {
  const fields = new Set(rows.flatMap(({ values }) => Object.keys(values)));
  const columns = new Map<string, Buffer>();
  for (const field of fields) {
    columns.set(field, encodeColumn(buildColumn(rows.map(({ values }) => values[field]))));
  }
  columns.set(versionField, encodeColumn(buildColumn(rows.map(({ version }) => String(version)))));
  return columns;
}

/** Writes the segments of one compaction step. */
export class SegmentWriter {
  readonly items: NewItems = new Map();
  /** The facets of all segments that were written. */
  readonly facetCounts: FacetCounts = new Map();
  readonly #snapshot: SnapshotId;
  readonly #maxRows: number;
  readonly #facets: readonly FacetFields[];
  #count = 0;

  /**
   * @param maxRows rows in a segment, at most.
   * @param facets what is counted.
   */
  constructor(snapshot: SnapshotId, maxRows: number, facets: readonly FacetFields[]) {
    this.#snapshot = snapshot;
    this.#maxRows = maxRows;
    this.#facets = facets;
  }

  /** Returns the segments of some rows, which are in the order of their ids. */
  write(rows: readonly SegmentRow[]): Segment[] {
    const parts = Math.ceil(rows.length / this.#maxRows);
    const size = Math.ceil(rows.length / Math.max(1, parts));
    return Array.from({ length: parts }, (_, part) => rows.slice(part * size, (part + 1) * size)).flatMap(
      (part) => this.#writePart(part),
    );
  }

  #writePart(rows: readonly SegmentRow[]): Segment[] {
    const columns = encodeColumns(rows);
    if (rows.length > 1 && areTooLarge(columns)) {
      const half = rows.length >> 1;
      return [...this.#writePart(rows.slice(0, half)), ...this.#writePart(rows.slice(half))];
    }
    const segment: Segment = {
      id: `${this.#snapshot}.${this.#count}`,
      first: (rows[0] as SegmentRow).id,
      last: (rows.at(-1) as SegmentRow).id,
      rows: rows.length,
      deleted: 0,
      columns: Object.fromEntries([...columns.keys()].map((field) => [field, this.#snapshot])),
      patched: {},
    };
    this.#count += 1;
    for (const { values } of rows)
      countRow(this.facetCounts, this.#facets, { segmentId: segment.id, values, count: 1 });
    for (const [field, bytes] of columns) this.items.set(columnName(segment, field) as ItemName, bytes);
    const { chunks, fence } = encodeIdChunks(rows.map(({ id }) => id));
    this.items.set(fenceName(segment), fence);
    for (const [chunk, bytes] of chunks.entries()) this.items.set(idsName(segment, chunk), bytes);
    return [segment];
  }
}
