/** The columns of a manifest, with the values of its runs. */
import { type Bucket, bucketOf, columnOfTexts, joinBuckets } from '../format/buckets.ts';
import { buildColumn, type Column, columnBytes, type Patch, patchColumn } from '../format/column.ts';
import { chunkOfRow, chunkRows, idAt } from '../format/ids.ts';
import {
  columnNames,
  fenceName,
  type ItemName,
  idsName,
  type Manifest,
  type Run,
  runNames,
  type Segment,
} from '../format/manifest.ts';
import { isNewerThan, joinRunItems, patchOf, type RunValues } from '../format/run.ts';
import type { LogMemory } from '../process-memory.ts';
import type { LogReader } from '../storage.ts';
import { ItemReader } from './item-reader.ts';
import { OrderedColumn } from './ordered-column.ts';
import { onlyTexts, type RowFilter } from './row-filter.ts';
import { SearchTexts } from './search-texts.ts';
import type { ValueOrder } from './sort-key.ts';

/** Returns the values of several patches. Of one value, the last patch decides. */
const joinPatches = (patches: readonly Patch[]): Patch => new Map(patches.flatMap((patch) => [...patch]));

/** Returns the names of the items that a filter needs. A filter that accepts only some texts needs only the buckets of these texts. */
export function filterNames(segment: Segment, filter: RowFilter): ItemName[] {
  const names = columnNames(segment, filter.field);
  const texts = onlyTexts(filter);
  if (!texts || names.length <= 1) return names;
  const wanted = new Set(texts.map((text) => bucketOf(text, names.length)));
  return names.filter((_, bucket) => wanted.has(bucket));
}

/** Reads the immutable items of one manifest. */
export class ColumnReader {
  readonly manifest: Manifest;
  readonly #items: ItemReader;

  constructor(manifest: Manifest, reader: LogReader, memory: LogMemory) {
    this.manifest = manifest;
    this.#items = new ItemReader(manifest.segments, reader, memory);
  }

  async loadColumns(
    fields: readonly string[],
    segments: readonly Segment[] = this.manifest.segments,
  ): Promise<void> {
    const columns = segments.flatMap((segment) => fields.flatMap((field) => columnNames(segment, field)));
    await this.#items.load([...columns, ...this.#runNames(fields)]);
  }

  /** Reads what the filters of segments need of columns, and the columns of some fields. */
  async loadFilters(
    filtered: readonly { readonly segment: Segment; readonly filters: readonly RowFilter[] }[],
    fields: readonly string[],
  ): Promise<void> {
    const columns = filtered.flatMap(({ segment, filters }) => [
      ...filters.flatMap((filter) => filterNames(segment, filter)),
      ...fields.flatMap((field) => columnNames(segment, field)),
    ]);
    const filters = filtered.flatMap((one) => one.filters);
    const runs = this.#runNames([...new Set([...fields, ...filters.map(({ field }) => field)])]);
    await this.#items.load([...columns, ...runs]);
  }

  #runNames(fields: readonly string[]): ItemName[] {
    return this.manifest.runs.flatMap((run) => runNames(run, fields));
  }

  async loadRuns(runs: readonly Run[]): Promise<void> {
    await this.#items.load(runs.flatMap((run) => runNames(run)));
  }

  async loadFences(segments: readonly Segment[]): Promise<void> {
    await this.#items.load(segments.map(fenceName));
  }

  async loadIds(chunks: readonly { readonly segment: Segment; readonly chunk: number }[]): Promise<void> {
    await this.#items.load(chunks.map(({ segment, chunk }) => idsName(segment, chunk)));
  }

  async loadAllIds(segments: readonly Segment[]): Promise<void> {
    await this.loadIds(
      segments.flatMap((segment) =>
        Array.from({ length: Math.ceil(segment.rows / chunkRows) }, (_, chunk) => ({ segment, chunk })),
      ),
    );
  }

  /** Returns the first id of each chunk. */
  fence(segment: Segment): Buffer {
    return this.#items.get(fenceName(segment));
  }

  ids(segment: Segment, chunk: number): Buffer {
    return this.#items.get(idsName(segment, chunk));
  }

  idOf(segment: Segment, row: number): string {
    return idAt(this.ids(segment, chunkOfRow(row)), row % chunkRows);
  }

  runValues(run: Run): RunValues {
    return joinRunItems(runNames(run).map((name) => this.#items.get<RunValues>(name)));
  }

  /** Returns the name of a segment's column with the runs that are newer, and the values of these runs, the oldest first. */
  #current(segment: Segment, field: string): { readonly name: string; readonly patches: readonly Patch[] } {
    let name = `${segment.id}/${segment.columns[field] ?? 'absent'}/${field}`;
    const patches: Patch[] = [];
    for (const run of this.manifest.runs) {
      if (!isNewerThan(run, segment, field)) continue;
      for (const item of runNames(run, [field])) {
        const values = patchOf(this.#items.get<RunValues>(item), segment.id, field);
        if (values.size === 0) continue;
        name += `+${run.step}`;
        patches.push(values);
      }
    }
    return { name, patches };
  }

  /** Returns a column as its items have it. */
  #storedColumn(segment: Segment, field: string): Column {
    const [first, ...others] = columnNames(segment, field);
    if (first === undefined) return buildColumn(Array(segment.rows).fill(undefined));
    if (others.length === 0) return this.#items.get(first);
    return joinBuckets(
      [first, ...others].map((name) => this.#items.get<Bucket>(name)),
      segment.rows,
    );
  }

  /** Returns the column of a field as of the manifest. A field without a column is absent in all rows. */
  column(segment: Segment, field: string): Column {
    const { name, patches } = this.#current(segment, field);
    const derive = (): Column => patchColumn(this.#storedColumn(segment, field), joinPatches(patches));
    return this.#items.derived(name, derive, columnBytes);
  }

  orderedColumn(segment: Segment, order: ValueOrder): OrderedColumn {
    const { field, ranks, defaultValue } = order;
    const name = `${this.#current(segment, field).name}/ordered${JSON.stringify([ranks, defaultValue])}`;
    const derive = (): OrderedColumn => new OrderedColumn(this.column(segment, field), order);
    return this.#items.derived(name, derive, ({ bytes }) => bytes);
  }

  /** Returns the texts of the column of a field in lower case. */
  searchTexts(segment: Segment, field: string): SearchTexts {
    const derive = (): SearchTexts => new SearchTexts(field, this.column(segment, field).dictionary);
    return this.#items.derived(`${this.#current(segment, field).name}/search`, derive, ({ bytes }) => bytes);
  }

  /** Returns the column of a filter's field. Values that the filter does not accept can be absent. */
  filterColumn(segment: Segment, filter: RowFilter): Column {
    const { field } = filter;
    const texts = onlyTexts(filter);
    const names = filterNames(segment, filter);
    if (!texts || names.length === columnNames(segment, field).length) return this.column(segment, field);
    const buckets = names.map((name) => this.#items.get<Bucket>(name));
    const patch = joinPatches(this.#current(segment, field).patches);
    return columnOfTexts(buckets, { texts, rows: segment.rows, patch });
  }
}
