/** Writes segments: rows as columns and chunks of ids. */
import type { Value } from '../../../model/row.ts';
import { encodeColumnItems } from '../buckets.ts';
import { buildColumn } from '../column.ts';
import { countRow, type FacetCounts } from '../facets.ts';
import { encodeIdChunks } from '../ids.ts';
import {
  columnNames,
  type FacetFields,
  fenceName,
  type ItemName,
  idsName,
  maxItemBytes,
  type Segment,
  type SnapshotId,
  versionField,
} from '../manifest.ts';
import type { CompactionSizes } from './sizes.ts';

/** A row of a segment with all its values. */
export interface SegmentRow {
  readonly id: string;
  readonly version: number;
  readonly values: Readonly<Record<string, Value | undefined>>;
}

/** Items to write, by name. */
export type NewItems = Map<ItemName, Uint8Array>;

/** The items of columns, by field. */
export type EncodedColumns = ReadonlyMap<string, readonly Buffer[]>;

/** Returns whether the rows of some columns must be divided. */
export const areTooLarge = (columns: EncodedColumns): boolean =>
  [...columns.values()].flat().some((bytes) => bytes.length > maxItemBytes);

/** Returns the numbers of buckets of the columns that have several. */
export const countBuckets = (columns: EncodedColumns): Record<string, number> =>
  Object.fromEntries(
    [...columns].filter(([, { length }]) => length > 1).map(([field, { length }]) => [field, length]),
  );

/** Adds columns of a segment to the items of a step. */
export function addColumns(items: NewItems, segment: Segment, columns: EncodedColumns): void {
  for (const [field, encoded] of columns) {
    const names = columnNames(segment, field);
    for (const [position, bytes] of encoded.entries()) items.set(names[position] as ItemName, bytes);
  }
}

function encodeColumns(rows: readonly SegmentRow[], bucketBytes: number): EncodedColumns {
  const fields = new Set(rows.flatMap(({ values }) => Object.keys(values)));
  const columns = new Map<string, Buffer[]>();
  for (const field of [...fields, versionField]) {
    const all = rows.map(({ version, values }) => (field === versionField ? String(version) : values[field]));
    columns.set(field, encodeColumnItems(buildColumn(all), bucketBytes));
  }
  return columns;
}

type SegmentSizes = Pick<CompactionSizes, 'maxRows' | 'bucketBytes'>;

/** Writes the segments of one compaction step. */
export class SegmentWriter {
  readonly items: NewItems = new Map();
  /** The facets of all segments that were written. */
  readonly facetCounts: FacetCounts = new Map();
  readonly #snapshot: SnapshotId;
  readonly #sizes: SegmentSizes;
  readonly #facets: readonly FacetFields[];
  #count = 0;

  /**
   * @param facets what is counted.
   */
  constructor(snapshot: SnapshotId, sizes: SegmentSizes, facets: readonly FacetFields[]) {
    this.#snapshot = snapshot;
    this.#sizes = sizes;
    this.#facets = facets;
  }

  /** Returns segments of about equal size of some rows, which are in the order of their ids. */
  write(rows: readonly SegmentRow[]): Segment[] {
    const parts = Math.ceil(rows.length / this.#sizes.maxRows);
    return this.#writeParts(rows, Math.ceil(rows.length / Math.max(1, parts)));
  }

  /** Returns full segments of the last rows of a log, and one of those that are left. Later rows are merged with that one. */
  fill(rows: readonly SegmentRow[]): Segment[] {
    return this.#writeParts(rows, this.#sizes.maxRows);
  }

  #writeParts(rows: readonly SegmentRow[], size: number): Segment[] {
    const segments: Segment[] = [];
    for (let first = 0; first < rows.length; first += size)
      segments.push(...this.#writePart(rows.slice(first, first + size)));
    return segments;
  }

  #writePart(rows: readonly SegmentRow[]): Segment[] {
    const columns = encodeColumns(rows, this.#sizes.bucketBytes);
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
      buckets: countBuckets(columns),
      patched: {},
    };
    this.#count += 1;
    for (const { values } of rows)
      countRow(this.facetCounts, this.#facets, { segmentId: segment.id, values, count: 1 });
    addColumns(this.items, segment, columns);
    const { chunks, fence } = encodeIdChunks(rows.map(({ id }) => id));
    this.items.set(fenceName(segment), fence);
    for (const [chunk, bytes] of chunks.entries()) this.items.set(idsName(segment, chunk), bytes);
    return [segment];
  }
}
