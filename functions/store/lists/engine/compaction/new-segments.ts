/** New segments: rows as columns and chunks of ids. */
import type { Value } from '../../../model/row.ts';
import { encodeColumnItems } from '../format/buckets.ts';
import { buildColumn } from '../format/column.ts';
import { encodeIdChunks } from '../format/ids.ts';
import {
  columnNames,
  fenceName,
  type ItemName,
  idsName,
  maxItemBytes,
  type Segment,
  type StepId,
  versionField,
} from '../format/manifest.ts';
import type { CompactionSizes } from './sizes.ts';

export interface SegmentRow {
  readonly id: string;
  readonly version: number;
  readonly values: Readonly<Record<string, Value | undefined>>;
}

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

/** Returns whether the rows of some columns must be divided. */
export const areTooLarge = (columns: EncodedColumns): boolean =>
  [...columns.values()].flat().some((bytes) => bytes.length > maxItemBytes);

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

function encodeColumns(rows: readonly SegmentRow[], bucketBytes: number): EncodedColumns {
  const fields = new Set(rows.flatMap(({ values }) => Object.keys(values)));
  const columns = new Map<string, Buffer[]>();
  for (const field of [...fields, versionField]) {
    const all = rows.map(({ version, values }) => (field === versionField ? String(version) : values[field]));
    columns.set(field, encodeColumnItems(buildColumn(all), bucketBytes));
  }
  return columns;
}

/** What the segments of one compaction step have in common. */
export interface SegmentOptions {
  readonly stepId: StepId;
  readonly sizes: CompactionSizes;
  /** Returns a number that no other segment of the step has. */
  readonly nextNumber: () => number;
}

export function counter(): () => number {
  let next = 0;
  return () => next++;
}

/** Returns the segment of some rows, or several if a column outgrows its item. */
function buildSegment(rows: readonly SegmentRow[], options: SegmentOptions): NewSegments {
  const { stepId, sizes, nextNumber } = options;
  const columns = encodeColumns(rows, sizes.bucketBytes);
  if (rows.length > 1 && areTooLarge(columns)) {
    const half = rows.length >> 1;
    return joinSegments([
      buildSegment(rows.slice(0, half), options),
      buildSegment(rows.slice(half), options),
    ]);
  }
  const segment: Segment = {
    id: `${stepId}.${nextNumber()}`,
    first: (rows[0] as SegmentRow).id,
    last: (rows.at(-1) as SegmentRow).id,
    rows: rows.length,
    deleted: 0,
    columns: Object.fromEntries([...columns.keys()].map((field) => [field, stepId])),
    buckets: countBuckets(columns),
    patched: {},
  };
  const { chunks, fence } = encodeIdChunks(rows.map(({ id }) => id));
  const ids = chunks.map((bytes, chunk): [ItemName, Uint8Array] => [idsName(segment, chunk), bytes]);
  const items = joinItems([columnItems(segment, columns), new Map([[fenceName(segment), fence], ...ids])]);
  return { segments: [segment], items };
}

function buildSegmentsOf(rows: readonly SegmentRow[], size: number, options: SegmentOptions): NewSegments {
  const parts: NewSegments[] = [];
  for (let first = 0; first < rows.length; first += size)
    parts.push(buildSegment(rows.slice(first, first + size), options));
  return joinSegments(parts);
}

/** Returns segments of about equal size. @param rows in the order of their ids. */
export function buildSegments(rows: readonly SegmentRow[], options: SegmentOptions): NewSegments {
  const parts = Math.ceil(rows.length / options.sizes.maxRows);
  return buildSegmentsOf(rows, Math.ceil(rows.length / Math.max(1, parts)), options);
}

/** Returns full segments of the last rows of a log, and one of those that are left. Later rows are merged with that one. */
export const fillSegments = (rows: readonly SegmentRow[], options: SegmentOptions): NewSegments =>
  buildSegmentsOf(rows, options.sizes.maxRows, options);
