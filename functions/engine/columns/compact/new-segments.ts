/** New segments: rows as columns and chunks of ids. */
import { encodeColumnItems } from '../format/buckets.ts';
import { buildColumn } from '../format/column.ts';
import type { ColumnValue } from '../format/dictionary.ts';
import { encodeIdChunks } from '../format/ids.ts';
import {
  columnNames,
  fenceName,
  type ItemName,
  idsName,
  type Segment,
  type StepId,
} from '../format/manifest.ts';
import { bytesOfValue, type RowBlock, sliceRows } from './row-block.ts';
import type { CompactionSizes } from './sizes.ts';

export type NewItems = ReadonlyMap<ItemName, Uint8Array>;

export const joinItems = (all: readonly NewItems[]): NewItems => new Map(all.flatMap((items) => [...items]));

export interface NewSegments {
  readonly segments: readonly Segment[];
  readonly items: NewItems;
}

export const joinSegments = (all: readonly NewSegments[]): NewSegments => ({
  segments: all.flatMap(({ segments }) => segments),
  items: joinItems(all.map(({ items }) => items)),
});

/** The items of columns, by field. */
type EncodedColumns = ReadonlyMap<string, readonly Buffer[]>;

/** Returns the bytes of the largest item of some columns. */
export const largestItem = (columns: EncodedColumns): number =>
  [...columns.values()].flat().reduce((largest, { length }) => Math.max(largest, length), 0);

/** Returns the numbers of buckets of the columns that have several. */
export const countBuckets = (columns: EncodedColumns): Record<string, number> =>
  Object.fromEntries(
    [...columns].filter(([, { length }]) => length > 1).map(([field, { length }]) => [field, length]),
  );

export const columnItems = (segment: Segment, columns: EncodedColumns): NewItems =>
  new Map(
    [...columns].flatMap(([field, encoded]) => {
      const names = columnNames(segment, field);
      return encoded.map((bytes, position): [ItemName, Uint8Array] => [names[position] as ItemName, bytes]);
    }),
  );

/** What the segments of one compaction step have in common. */
export interface SegmentOptions {
  readonly stepId: StepId;
  readonly sizes: CompactionSizes;
  /** Returns a number that no other segment of the step has. */
  readonly nextNumber: () => number;
  /** Checks that time is left. @throws StoreUnavailable when it is over. */
  readonly requireTime: () => void;
}

export function counter(): () => number {
  let next = 0;
  return () => next++;
}

/** The share of an item that the columns of a divided segment fill. Parts of a column deflate a little less than all of it. */
const divisionShare = 0.8;

/** Returns the numbers of rows of parts whose values have a share of all bytes each. The last part has what is left. */
function divideByBytes(values: readonly ColumnValue[], share: number): number[] {
  const total = values.reduce((sum, value) => sum + bytesOfValue(value), 0);
  const counts: number[] = [];
  let bytes = 0;
  let from = 0;
  for (const [row, value] of values.entries()) {
    if (bytes > 0 && bytes + bytesOfValue(value) > share * total) {
      counts.push(row - from);
      from = row;
      bytes = 0;
    }
    bytes += bytesOfValue(value);
  }
  return [...counts, values.length - from];
}

/** Returns the column whose item is the largest, if it is larger than an item may be. */
function tooLargeColumn(columns: EncodedColumns, { maxColumnBytes }: CompactionSizes): string | undefined {
  const bytes = largestItem(columns);
  if (bytes <= maxColumnBytes) return undefined;
  return [...columns].find(([, items]) => items.some(({ length }) => length === bytes))?.[0];
}

function encodeColumns(block: RowBlock, { sizes, requireTime }: SegmentOptions): EncodedColumns {
  const columns = new Map<string, Buffer[]>();
  for (const [field, values] of block.columns) {
    requireTime();
    columns.set(field, encodeColumnItems(buildColumn(values), sizes.bucketBytes));
  }
  return columns;
}

/** Returns the segment of some rows, or several if a column outgrows its item: all but the last one are full. */
function buildSegment(block: RowBlock, options: SegmentOptions): NewSegments {
  const { stepId, sizes, nextNumber } = options;
  const { ids } = block;
  const columns = encodeColumns(block, options);
  const tooLarge = tooLargeColumn(columns, sizes);
  if (ids.length > 1 && tooLarge !== undefined) {
    const share = (divisionShare * sizes.maxColumnBytes) / largestItem(columns);
    return divideSegment(block, divideByBytes(block.columns.get(tooLarge) ?? [], share), options);
  }
  const segment: Segment = {
    id: `${stepId}.${nextNumber()}`,
    first: ids[0] as string,
    last: ids.at(-1) as string,
    rows: ids.length,
    deleted: 0,
    columns: Object.fromEntries([...columns.keys()].map((field) => [field, stepId])),
    buckets: countBuckets(columns),
    patched: {},
    bytes: largestItem(columns),
  };
  const { chunks, fence } = encodeIdChunks(ids);
  const chunkItems = chunks.map((bytes, chunk): [ItemName, Uint8Array] => [idsName(segment, chunk), bytes]);
  const idItems: NewItems = new Map([[fenceName(segment), fence], ...chunkItems]);
  return { segments: [segment], items: joinItems([columnItems(segment, columns), idItems]) };
}

/** Returns the segments of parts of a block. @param counts the numbers of their rows. */
function divideSegment(block: RowBlock, counts: readonly number[], options: SegmentOptions): NewSegments {
  const half = block.ids.length >> 1;
  // One row with all the bytes would leave nothing to divide.
  const parts = counts.length > 1 ? counts : [half, block.ids.length - half];
  let from = 0;
  return joinSegments(
    parts.map((count) => {
      from += count;
      return buildSegment(sliceRows(block, from - count, from), options);
    }),
  );
}

function buildSegmentsOf(block: RowBlock, size: number, options: SegmentOptions): NewSegments {
  const parts: NewSegments[] = [];
  for (let first = 0; first < block.ids.length; first += size)
    parts.push(buildSegment(sliceRows(block, first, first + size), options));
  return joinSegments(parts);
}

/** Returns segments of about equal size. @param block rows in the order of their ids. */
export function buildSegments(block: RowBlock, options: SegmentOptions): NewSegments {
  const parts = Math.ceil(block.ids.length / options.sizes.maxRows);
  return buildSegmentsOf(block, Math.ceil(block.ids.length / Math.max(1, parts)), options);
}

/** Returns full segments, and one of the rows that are left. Later rows are merged with that one. */
export const fillSegments = (block: RowBlock, options: SegmentOptions): NewSegments =>
  buildSegmentsOf(block, options.sizes.maxRows, options);
