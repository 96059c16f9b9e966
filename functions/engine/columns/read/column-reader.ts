/** The columns of a manifest, with the values of its patches. */

import { type Bucket, bucketOf, joinBuckets, rowsOfTexts } from '../format/buckets.ts';
import { buildColumn, type Column, type ColumnPatch, columnBytes, patchColumn } from '../format/column.ts';
import { chunkOfRow, chunkRows, idAt } from '../format/ids.ts';
import {
  columnNames,
  fenceName,
  type ItemName,
  idsName,
  type Manifest,
  type Patch,
  patchNames,
  type Segment,
  segmentNames,
  storedFields,
  type WaitingItem,
} from '../format/manifest.ts';
import { columnPatchOf, isNewerThan, joinPatchItems, type PatchValues } from '../format/patch.ts';
import type { WaitingRow } from '../format/waiting-rows.ts';
import { bytesOfChanges, type RowChange, toChanges } from '../merge-records.ts';
import type { LogMemory } from '../process-memory.ts';
import type { LogReader } from '../storage.ts';
import { ItemReader } from './item-reader.ts';
import { OrderedColumn } from './ordered-column.ts';
import { onlyTexts, type RowFilter } from './row-filter.ts';
import { SearchTexts } from './search-texts.ts';
import type { ValueOrder } from './sort-key.ts';

/** Returns the values of several patches of one column. Of one value, the last one decides. */
const joinColumnPatches = (columnPatches: readonly ColumnPatch[]): ColumnPatch =>
  new Map(columnPatches.flatMap((columnPatch) => [...columnPatch]));

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
  readonly #requireTime: () => void;

  constructor(manifest: Manifest, reader: LogReader, memory: LogMemory) {
    this.manifest = manifest;
    this.#items = new ItemReader(manifest.segments, reader, memory);
    this.#requireTime = () => reader.requireTime();
  }

  async loadColumns(
    fields: readonly string[],
    segments: readonly Segment[] = this.manifest.segments,
  ): Promise<void> {
    const columns = segments.flatMap((segment) => fields.flatMap((field) => columnNames(segment, field)));
    await this.#items.load([...columns, ...this.#patchNames(fields)]);
  }

  /** Returns the number of items of columns that are not in memory. */
  countMissing(segment: Segment, fields: readonly string[]): number {
    const columns = fields.flatMap((field) => columnNames(segment, field));
    const names = new Set([...columns, ...this.#patchNames(fields)]);
    return [...names].filter((name) => !this.#items.has(name)).length;
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
    const patches = this.#patchNames([...new Set([...fields, ...filters.map(({ field }) => field)])]);
    await this.#items.load([...columns, ...patches]);
  }

  #patchNames(fields: readonly string[]): ItemName[] {
    return this.manifest.patches.flatMap((patch) => patchNames(patch, fields));
  }

  /** Reads the waiting rows as the changes that created them, by id. They are made once for all lists of a process, until the rows are others. */
  async readWaiting(): Promise<ReadonlyMap<string, RowChange>> {
    const { waiting } = this.manifest;
    if (waiting.length === 0) return new Map();
    const names = waiting.map(({ name }) => name);
    await this.#items.load(names);
    const derive = (): ReadonlyMap<string, RowChange> =>
      toChanges(waiting.map((item) => this.waitingRows(item)));
    return this.#items.derived(`${names.join()}/changes`, derive, bytesOfChanges);
  }

  /** Returns the rows of an item of waiting rows, which must have been read. */
  waitingRows({ name }: WaitingItem): readonly WaitingRow[] {
    return this.#items.get<readonly WaitingRow[]>(name);
  }

  async loadPatches(patches: readonly Patch[]): Promise<void> {
    await this.#items.load(patches.flatMap((patch) => patchNames(patch)));
  }

  async loadFences(segments: readonly Segment[]): Promise<void> {
    await this.#items.load(segments.map(fenceName));
  }

  async loadIds(chunks: readonly { readonly segment: Segment; readonly chunk: number }[]): Promise<void> {
    await this.#items.load(chunks.map(({ segment, chunk }) => idsName(segment, chunk)));
  }

  /** Reads all that lists need of the manifest in one go: ids, waiting rows, and some fields. */
  async loadWhole(isNeeded: (field: string) => boolean): Promise<void> {
    const { segments, waiting } = this.manifest;
    const ofSegments = segments.flatMap((segment) => segmentNames(segment, isNeeded));
    const fields = [...new Set(segments.flatMap(storedFields))].filter(isNeeded);
    await this.#items.load([...ofSegments, ...waiting.map(({ name }) => name), ...this.#patchNames(fields)]);
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

  patchValues(patch: Patch): PatchValues {
    return joinPatchItems(patchNames(patch).map((name) => this.#items.get<PatchValues>(name)));
  }

  /** Returns the name of a segment's column with the patches that are newer, and the values of these patches, the oldest first. */
  #current(
    segment: Segment,
    field: string,
  ): { readonly name: string; readonly columnPatches: readonly ColumnPatch[] } {
    let name = `${segment.id}/${segment.columns[field] ?? 'absent'}/${field}`;
    const columnPatches: ColumnPatch[] = [];
    for (const patch of this.manifest.patches) {
      if (!isNewerThan(patch, segment, field)) continue;
      for (const item of patchNames(patch, [field])) {
        const values = columnPatchOf(this.#items.get<PatchValues>(item), segment.id, field);
        if (values.size === 0) continue;
        name += `+${patch.step}`;
        columnPatches.push(values);
      }
    }
    return { name, columnPatches };
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
    const { name, columnPatches } = this.#current(segment, field);
    const derive = (): Column =>
      patchColumn(this.#storedColumn(segment, field), joinColumnPatches(columnPatches));
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
    const derive = (): SearchTexts =>
      new SearchTexts(field, this.column(segment, field).dictionary, this.#requireTime);
    return this.#items.derived(`${this.#current(segment, field).name}/search`, derive, ({ bytes }) => bytes);
  }

  /** Returns the only rows that a filter accepts, if buckets have them; otherwise the whole column decides. */
  rowsOfFilter(segment: Segment, filter: RowFilter): Uint32Array | undefined {
    const texts = onlyTexts(filter);
    const names = filterNames(segment, filter);
    if (!texts || names.length === columnNames(segment, filter.field).length) return undefined;
    const buckets = names.map((name) => this.#items.get<Bucket>(name));
    return rowsOfTexts(buckets, texts, joinColumnPatches(this.#current(segment, filter.field).columnPatches));
  }
}
