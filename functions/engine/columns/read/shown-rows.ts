/**
 * Rows as pages show them. A row is the entity, except for long texts, so a page whose columns are in memory reads no entity. Columns that are not in memory
 * are loaded when that is cheap, or when the reads by key that they would have saved have cost as much (the ski rental problem): so all reads together cost
 * at most twice what they cost with the better choice from the beginning.
 */
import type { Row, Value } from '../../model/row.ts';
import { valueAt } from '../format/column.ts';
import { type Segment, storedFields, versionField } from '../format/manifest.ts';
import type { LogMemory } from '../process-memory.ts';
import type { ColumnReader } from './column-reader.ts';

/** What a page shows: all fields, or some of them. */
export type ShownFields = 'all' | ReadonlySet<string>;

/** Bytes of a value in a column, about. Columns are compressed, and most values occur many times. */
const valueBytes = 6;

/** Bytes for which a read from a replica costs half a unit. */
const bytesOfHalfUnit = 4_096;

/** The name of the read units of entities by key, in the memory of a log. */
const spentName = 'read-by-key';

/** Returns the read units that entities have cost which were not made of columns, without those that loaded columns have earned back. */
export const keyReads = (memory: LogMemory): number => (memory.get(spentName) as number | undefined) ?? 0;

/** Adds to them. */
export const addKeyReads = (memory: LogMemory, units: number): void =>
  memory.set(spentName, keyReads(memory) + units, 0);

/** Returns what loading items of a segment costs, about. */
const costOf = ({ rows, bytes }: Segment, items: number): number =>
  (items * Math.ceil(Math.min(rows * valueBytes, bytes) / bytesOfHalfUnit)) / 2;

const shownFields = (segment: Segment, shows: ShownFields): string[] =>
  storedFields(segment).filter((field) => field !== versionField && (shows === 'all' || shows.has(field)));

/** Returns the fields to load of each segment, so that its rows are whole. Segments that are left out are not worth it. */
export function fieldsToShow(
  columnReader: ColumnReader,
  memory: LogMemory,
  segments: readonly Segment[],
  shows: ShownFields,
): Map<Segment, string[]> {
  const spent = keyReads(memory);
  let left = spent;
  const worth = new Map<Segment, string[]>();
  for (const segment of segments) {
    const fields = shownFields(segment, shows);
    const cost = costOf(segment, columnReader.countMissing(segment, fields));
    const isCheap = segment.rows <= memory.cheapRows;
    if (!isCheap && cost > left) continue;
    if (!isCheap) left -= cost;
    worth.set(segment, fields);
  }
  if (left < spent) memory.set(spentName, left, 0);
  return worth;
}

/** Returns a row of a segment whose columns are loaded. */
export function shownRow(
  columnReader: ColumnReader,
  segment: Segment,
  fields: readonly string[],
  row: number,
): Row {
  const waiting = columnReader.waitingRow(segment, row);
  if (waiting) return waiting;
  const values: Record<string, Value> = {};
  for (const field of fields) {
    const value = valueAt(columnReader.column(segment, field), row);
    if (value !== undefined) values[field] = value;
  }
  return values;
}
