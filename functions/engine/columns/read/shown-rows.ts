/**
 * Rows as pages show them. A row is the entity, except for long texts, so a page whose columns are in memory reads no entity. Columns that are not in memory
 * are loaded when that is cheap, or when the reads by key that they would have saved have cost as much (the ski rental problem): so all reads together cost
 * at most twice what they cost with the better choice from the beginning.
 */
import type { Row, Value } from '../../model/row.ts';
import { wordsField } from '../../model/words.ts';
import { entityFields, type Manifest, type Segment, versionField } from '../format/manifest.ts';
import type { LogMemory } from '../process-memory.ts';
import { ColumnReader } from './column-reader.ts';
import { fieldsOf, loadSegments } from './match-rows.ts';
import type { ListSource } from './read-state.ts';
import type { RowQuery, ShownFields } from './row-query.ts';

/** Bytes of a value in a column, about. Columns are compressed, and most values occur many times. */
const valueBytes = 6;

/** Bytes for which a read from a replica costs half a unit. */
const bytesOfHalfUnit = 4_096;

/** The name of the read units of entities by key, in the memory of a log. */
const spentName = 'read-by-key';

/** Returns the read units that entities have cost which were not made of columns, without those that loaded columns have earned back. */
export const keyReads = (memory: LogMemory): number => (memory.get(spentName) as number | undefined) ?? 0;

export const addKeyReads = (memory: LogMemory, units: number): void =>
  memory.set(spentName, keyReads(memory) + units, 0);

/** Returns about the read units of items that are not in memory. A query reads about three buckets in a unit. */
function costOf({ rows, bytes }: Segment, { buckets, others }: ReturnType<ColumnReader['countMissing']>) {
  const halfUnits = Math.ceil(Math.min(rows * valueBytes, bytes) / bytesOfHalfUnit);
  return (others * halfUnits) / 2 + buckets / 3;
}

const shownFields = (segment: Segment, shows: ShownFields): string[] =>
  entityFields(segment).filter((field) => shows === 'all' || shows.has(field));

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

/** Reads columns before the pending changes are known: all of a small collection, and of a larger one those that a list reads whatever has changed. */
export async function prefetch(
  { reader, memory }: ListSource,
  manifest: Manifest,
  query: RowQuery,
): Promise<void> {
  const { shows } = query;
  const columnReader = new ColumnReader(manifest, reader, memory);
  const rows = manifest.segments.reduce((sum, segment) => sum + segment.rows, 0);
  if (shows === undefined || rows > memory.cheapRows) {
    if (fieldsOf(query).length > 0) await loadSegments(columnReader, manifest.segments, query);
    return;
  }
  const used = new Set([versionField, ...fieldsOf(query)]);
  const isNeeded = (field: string): boolean =>
    field !== wordsField && (shows === 'all' || shows.has(field) || used.has(field));
  await columnReader.loadWhole(isNeeded);
}

/** Returns a row of a segment whose columns are loaded. */
export function shownRow(
  columnReader: ColumnReader,
  segment: Segment,
  fields: readonly string[],
  row: number,
): Row {
  const values: Record<string, Value> = {};
  for (const field of fields) {
    const [value] = columnReader.values(segment, field, row);
    if (value !== undefined) values[field] = value;
  }
  return values;
}
