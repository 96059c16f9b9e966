/** New segments: rows as columns and chunks of ids. */
import { rowOfDeletion } from '../../model/deletion.ts';
import { wordsField } from '../../model/words.ts';
import { changeDeleted, type DeletedRows, weekOf } from '../format/deleted-rows.ts';
import { bytesOfValue, type ColumnValue } from '../format/dictionary.ts';
import { encodeField } from '../format/encode-field.ts';
import { encodeIdChunks } from '../format/ids.ts';
import {
  columnNames,
  fenceName,
  type ItemName,
  idsName,
  placeOf,
  type Segment,
  type StepId,
} from '../format/manifest.ts';
import { countWords } from '../format/word-index.ts';
import { type RowBlock, sliceRows } from './row-block.ts';
import type { CompactionSizes } from './sizes.ts';

export type NewItems = ReadonlyMap<ItemName, Uint8Array>;

export const joinItems = (all: readonly NewItems[]): NewItems => new Map(all.flatMap((items) => [...items]));

export interface NewSegments {
  readonly segments: readonly Segment[];
  readonly items: NewItems;
}

interface AddedSegments extends NewSegments {
  readonly segments: Segment[];
  readonly items: Map<ItemName, Uint8Array>;
}

/** The items of columns, by field. */
export type EncodedColumns = ReadonlyMap<string, readonly Buffer[]>;

const largestItem = (columns: EncodedColumns): number =>
  [...columns.values()].flat().reduce((largest, { length }) => Math.max(largest, length), 0);

/** Returns the bytes of an item that columns and words fill, of each segment. */
export const filledBytes = (
  columns: EncodedColumns,
  words: number,
  { maxColumnBytes, maxWords }: CompactionSizes,
): number => Math.max(largestItem(columns), Math.ceil((words / maxWords) * maxColumnBytes));

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

export interface SegmentOptions {
  readonly stepId: StepId;
  readonly sizes: CompactionSizes;
  /** Checks that time is left. @throws StoreUnavailable when it is over. */
  readonly requireTime: () => void;
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
  return new Map(
    [...block.columns].flatMap(([field, values]) => {
      requireTime();
      return [...encodeField(field, values, sizes.bucketBytes, requireTime)];
    }),
  );
}

function deletedRows({ columns }: RowBlock): DeletedRows {
  const times = columns.get(rowOfDeletion.deletedAt) ?? [];
  return changeDeleted({}, { added: times.flatMap((time) => (time ? [weekOf(time)] : [])) });
}

/** Adds the segments of some rows whose column has too many bytes, or words. @param share of them that a segment has room for. */
function addDivided(
  added: AddedSegments,
  block: RowBlock,
  options: SegmentOptions,
  { field, share }: { readonly field: string; readonly share: number },
): void {
  const counts = divideByBytes(block.columns.get(field) ?? [], divisionShare * share);
  const half = block.ids.length >> 1;
  // One row with all the bytes would leave nothing to divide.
  let from = 0;
  for (const count of counts.length > 1 ? counts : [half, block.ids.length - half]) {
    addSegment(added, sliceRows(block, from, from + count), options);
    from += count;
  }
}

/** Adds the segment of some rows, or several if a column outgrows its item, or their words are too many: all but the last one are full. */
function addSegment(added: AddedSegments, block: RowBlock, options: SegmentOptions): void {
  const { stepId, sizes } = options;
  const { ids } = block;
  const words = countWords(block.columns.get(wordsField) ?? []);
  if (ids.length > 1 && words > sizes.maxWords) {
    addDivided(added, block, options, { field: wordsField, share: sizes.maxWords / words });
    return;
  }
  const columns = encodeColumns(block, options);
  const field = tooLargeColumn(columns, sizes);
  if (ids.length > 1 && field !== undefined) {
    addDivided(added, block, options, { field, share: sizes.maxColumnBytes / largestItem(columns) });
    return;
  }
  const segment: Segment = {
    id: `${stepId}.${added.segments.length}`,
    first: ids[0] as string,
    last: ids.at(-1) as string,
    rows: ids.length,
    deleted: deletedRows(block),
    columns: Object.fromEntries([...columns.keys()].map((field) => [field, stepId])),
    buckets: countBuckets(columns),
    hasLists: true,
    patched: {},
    bytes: filledBytes(columns, words, sizes),
  };
  const { chunks, fence } = encodeIdChunks(ids);
  added.segments.push(segment);
  for (const [name, bytes] of columnItems(segment, columns)) added.items.set(name, bytes);
  added.items.set(fenceName(segment), fence);
  for (const [chunk, bytes] of chunks.entries()) added.items.set(idsName(segment, chunk), bytes);
}

/**
 * Returns full segments, and one of the rows that are left. Later rows are merged with that one.
 * @param block rows in the order of their ids.
 */
export function fillSegments(block: RowBlock, options: SegmentOptions): NewSegments {
  const added: AddedSegments = { segments: [], items: new Map() };
  const { maxRows } = options.sizes;
  for (let first = 0; first < block.ids.length; first += maxRows)
    addSegment(added, sliceRows(block, first, first + maxRows), options);
  return added;
}

/** Returns segments with the numbers of the waiting rows among their ids. @param rows that wait. */
export function countWaiting(
  segments: readonly Segment[],
  rows: Iterable<{ readonly id: string }>,
): Segment[] {
  const counts = new Map<number, number>();
  for (const { id } of rows) {
    const place = placeOf({ segments }, id);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return segments.map((segment, position) => ({ ...segment, waiting: counts.get(position) }));
}
