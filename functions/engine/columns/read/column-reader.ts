/** The columns of a manifest, with the values of its patches. */

import { hasWord, wordsField } from '../../model/words.ts';
import { type Bucket, groupByBucket, joinBuckets, rowsOfTexts } from '../format/buckets.ts';
import {
  buildColumn,
  type Column,
  type ColumnPatch,
  columnBytes,
  columnValues,
  patchColumn,
  valueAt,
} from '../format/column.ts';
import { buildDictionary, type ColumnValue } from '../format/dictionary.ts';
import { chunkOfRow, chunkRows, idAt } from '../format/ids.ts';
import { groupByIds, listValues, type RowGroups } from '../format/lists.ts';
import {
  columnNames,
  fenceName,
  type ItemName,
  idsName,
  isBucketName,
  isDeletedVersion,
  isOfLists,
  type Manifest,
  type Patch,
  patchNames,
  positionsField,
  type Segment,
  segmentNames,
  storedFields,
  versionField,
  type WaitingItem,
  waitingNames,
  wordsOfWaiting,
} from '../format/manifest.ts';
import { columnPatchOf, isNewerThan, type PatchValues } from '../format/patch.ts';
import { joinWords, type WaitingRow } from '../format/waiting-rows.ts';
import { itemsOfWord, markWord, wordsOfRows } from '../format/word-index.ts';
import { bytesOfChanges, type RowChange, toChanges } from '../merge-records.ts';
import type { LogMemory } from '../process-memory.ts';
import type { LogReader } from '../storage.ts';
import { ItemReader } from './item-reader.ts';
import { OrderedColumn } from './ordered-column.ts';
import {
  acceptedOrdinals,
  acceptsAnyId,
  alternativesOf,
  type FilteredColumn,
  isNotDeleted,
  isSearch,
  isWordFilter,
  onlyTexts,
  type RowFilter,
  textsOfLists,
  valuePredicate,
  wordsOfFilter,
} from './row-filter.ts';
import { SearchTexts } from './search-texts.ts';
import type { ValueOrder } from './sort-key.ts';

/** Returns the values of several patches of one column. Of one value, the last one decides. */
const joinColumnPatches = (columnPatches: readonly ColumnPatch[]): ColumnPatch =>
  new Map(columnPatches.flatMap((columnPatch) => [...columnPatch]));

const valueNames = (segment: Segment, field: string): ItemName[] =>
  (isOfLists(segment, field) ? [field, positionsField(field)] : [field]).flatMap((name) =>
    columnNames(segment, name),
  );

/** Returns texts by the bucket of a segment's column that has them; `undefined` if all of the column decides about a filter. */
function textsByBucket(segment: Segment, filter: RowFilter): Map<ItemName, string[]> | undefined {
  const names = columnNames(segment, filter.field);
  const texts = isOfLists(segment, filter.field) ? textsOfLists(filter) : onlyTexts(filter);
  if (!texts || names.length <= 1) return undefined;
  const byBucket = groupByBucket(texts, names.length);
  return new Map([...byBucket].map(([bucket, own]) => [names[bucket] as ItemName, own]));
}

export const filterNames = (segment: Segment, filter: RowFilter): ItemName[] =>
  alternativesOf(filter).flatMap((one) => {
    const isWhole = filter.or && !isOfLists(segment, one.field);
    const byBucket = isWhole ? undefined : textsByBucket(segment, one);
    return byBucket ? [...byBucket.keys()] : valueNames(segment, one.field);
  });

/** Returns 1 for each row of a segment that is among some. */
function markRows(rows: Uint32Array, segment: Segment): Uint8Array {
  const marks = new Uint8Array(segment.rows);
  for (const row of rows) marks[row] = 1;
  return marks;
}

export class ColumnReader {
  readonly manifest: Manifest;
  readonly #items: ItemReader;
  /** Checks that time is left. @throws StoreUnavailable when it is over. */
  readonly requireTime: () => void;

  constructor(manifest: Manifest, reader: LogReader, memory: LogMemory) {
    this.manifest = manifest;
    this.#items = new ItemReader(manifest.segments, reader, memory);
    this.requireTime = reader.requireTime;
  }

  async loadColumns(
    fields: readonly string[],
    segments: readonly Segment[] = this.manifest.segments,
  ): Promise<void> {
    const columns = segments.flatMap((segment) => fields.flatMap((field) => valueNames(segment, field)));
    await this.#items.load([...columns, ...this.#patchNames(fields)]);
  }

  /** Returns how many items are not in memory: buckets, and others. */
  countMissing(segment: Segment, fields: readonly string[]) {
    const names = [...fields.flatMap((field) => valueNames(segment, field)), ...this.#patchNames(fields)];
    const missing = names.filter((name) => !this.#items.has(name));
    const buckets = missing.filter(isBucketName).length;
    return { buckets, others: missing.length - buckets };
  }

  async loadFilters(
    filtered: readonly { readonly segment: Segment; readonly filters: readonly RowFilter[] }[],
    fields: readonly { readonly field: string; readonly isArray?: boolean }[],
  ): Promise<void> {
    const searched = filtered.filter(({ filters }) => filters.some(isWordFilter));
    await this.#items.load(searched.flatMap(({ segment }) => columnNames(segment, wordsField).slice(0, 1)));
    const namesOf = (segment: Segment, filter: RowFilter): ItemName[] =>
      isWordFilter(filter) ? this.#wordNames(segment, wordsOfFilter(filter)) : filterNames(segment, filter);
    const columns = filtered.flatMap(({ segment, filters }) => [
      ...filters.flatMap((filter) => namesOf(segment, filter)),
      ...fields.flatMap(({ field, isArray }) => (isArray ? columnNames : valueNames)(segment, field)),
    ]);
    const filters = filtered.flatMap((one) => one.filters.flatMap(alternativesOf));
    const patches = this.#patchNames([...new Set([...fields, ...filters].map(({ field }) => field))]);
    await this.#items.load([...columns, ...patches]);
  }

  #patchNames(fields: readonly string[]): ItemName[] {
    return this.manifest.patches.flatMap((patch) => patchNames(patch, fields));
  }

  /** Reads the waiting rows as the changes that created them, by id. They are made once for all lists of a process, until the rows are others. */
  async readWaiting(withWords: boolean): Promise<ReadonlyMap<string, RowChange>> {
    const { waiting } = this.manifest;
    if (waiting.length === 0) return new Map();
    const names = waiting.flatMap((item) => (withWords ? waitingNames(item) : [item.name]));
    await this.#items.load(names);
    const derive = (): ReadonlyMap<string, RowChange> =>
      toChanges(waiting.map((item) => (withWords ? this.waitingRows(item) : this.#items.get(item.name))));
    return this.#items.derived(`${names.join()}/changes${withWords}`, '', derive, bytesOfChanges);
  }

  /** Returns the rows of an item of waiting rows, with their words. Both must have been read. */
  waitingRows({ name, hasWords }: WaitingItem): readonly WaitingRow[] {
    const rows = this.#items.get<readonly WaitingRow[]>(name);
    return hasWords ? joinWords(rows, this.#items.get(wordsOfWaiting(name))) : rows;
  }

  async readPatches(patches: readonly Patch[]) {
    await this.#items.load(patches.flatMap((patch) => patchNames(patch)));
    return patches.flatMap((patch) =>
      patchNames(patch).map((name) => ({ patch, values: this.#items.get<PatchValues>(name) })),
    );
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

  /** Returns the name of a segment's column, the newer patches that have values of it, and these values, the oldest first. */
  #current(
    segment: Segment,
    field: string,
  ): { readonly name: string; readonly patches: string; readonly columnPatches: readonly ColumnPatch[] } {
    const column = `${segment.id}/${segment.columns[field] ?? 'absent'}/${field}`;
    let patches = '';
    const columnPatches: ColumnPatch[] = [];
    for (const patch of this.manifest.patches) {
      if (!isNewerThan(patch, segment, field)) continue;
      for (const item of patchNames(patch, [field])) {
        const values = columnPatchOf(this.#items.get<PatchValues>(item), segment.id, field);
        if (values.size === 0) continue;
        patches += `+${patch.step}`;
        columnPatches.push(values);
      }
    }
    // The item of the column alone has its name.
    return { name: patches ? `${column}+` : column, patches, columnPatches };
  }

  #storedColumn(segment: Segment, field: string): Column {
    const [first, ...others] = columnNames(segment, field);
    if (field === wordsField && first !== undefined) {
      const items = (others.length === 0 ? [first] : others).map((name) => this.#items.get<Buffer>(name));
      return buildColumn(wordsOfRows(items, segment.rows, this.requireTime));
    }
    if (first === undefined) return buildColumn(Array(segment.rows).fill(undefined));
    if (others.length === 0) return this.#items.get(first);
    return joinBuckets(this.#buckets(segment, field), segment.rows);
  }

  #buckets(segment: Segment, field: string): Bucket[] {
    return columnNames(segment, field).map((name) => this.#items.get<Bucket>(name));
  }

  /** Returns the column of a field as of the manifest. A field without a column is absent in all rows. */
  column(segment: Segment, field: string): Column {
    const { name, patches, columnPatches } = this.#current(segment, field);
    const derive = (): Column =>
      isOfLists(segment, field)
        ? buildColumn(this.values(segment, field))
        : patchColumn(this.#storedColumn(segment, field), joinColumnPatches(columnPatches));
    // The item of a small index has the name of its column.
    return this.#items.derived(field === wordsField ? `${name}/rows` : name, patches, derive, columnBytes);
  }

  /** Returns the values of a field as of the manifest. @param row the only one whose value is returned; by default all are. */
  values(segment: Segment, field: string, row?: number): ColumnValue[] {
    if (!isOfLists(segment, field)) {
      const column = this.column(segment, field);
      return row === undefined ? columnValues(column) : [valueAt(column, row)];
    }
    const { columnPatches } = this.#current(segment, field);
    const range = row === undefined ? { from: 0, to: segment.rows } : { from: row, to: row + 1 };
    const names = columnNames(segment, positionsField(field));
    const positions = names.map((name) => this.#items.get<Buffer>(name));
    return listValues(this.#buckets(segment, field), positions, range).map((value, position) => {
      const newer = columnPatches.findLast((patch) => patch.has(range.from + position));
      return newer ? newer.get(range.from + position) : value;
    });
  }

  /** Returns rows by the values of a field, or of an array by ids. */
  groupRows(segment: Segment, field: string, rows: Uint32Array, isArray: boolean): RowGroups[] {
    if (isArray && isOfLists(segment, field)) {
      const patch = joinColumnPatches(this.#current(segment, field).columnPatches);
      return groupByIds(this.#buckets(segment, field), patch, markRows(rows, segment));
    }
    const { dictionary, ordinals } = this.column(segment, field);
    return [{ rows, groups: rows.map((row) => ordinals[row] as number), values: dictionary }];
  }

  orderedColumn(segment: Segment, order: ValueOrder): OrderedColumn {
    const { field, ranks, defaultValue } = order;
    const { name, patches } = this.#current(segment, field);
    const ordered = `${name}/ordered${JSON.stringify([ranks, defaultValue])}`;
    const derive = (): OrderedColumn => new OrderedColumn(this.column(segment, field), order);
    return this.#items.derived(ordered, patches, derive, ({ bytes }) => bytes);
  }

  searchTexts(segment: Segment, field: string): SearchTexts {
    const { name, patches } = this.#current(segment, field);
    const derive = (): SearchTexts =>
      new SearchTexts(field, this.column(segment, field).dictionary, this.requireTime);
    return this.#items.derived(`${name}/search`, patches, derive, ({ bytes }) => bytes);
  }

  /** Returns the names of the items that can have words with some beginnings. The item with the first words of others must have been read. */
  #wordNames(segment: Segment, beginnings: readonly string[]): ItemName[] {
    const names = columnNames(segment, wordsField);
    const [first] = names;
    if (first === undefined || names.length === 1) return names;
    const firstWords = this.#items.get<readonly string[]>(first);
    return beginnings
      .flatMap((one) => itemsOfWord(firstWords, one))
      .map((position) => names[position] as ItemName);
  }

  /** Returns the rows that have words with all of some beginnings. */
  #rowsOfWords(segment: Segment, beginnings: readonly string[]): Uint32Array {
    const patch = joinColumnPatches(this.#current(segment, wordsField).columnPatches);
    const counts = new Uint8Array(segment.rows);
    for (const beginning of beginnings) {
      this.requireTime();
      const marked = new Uint8Array(segment.rows);
      const names = this.#wordNames(segment, [beginning]);
      markWord(
        marked,
        names.map((name) => this.#items.get<Buffer>(name)),
        beginning,
      );
      for (const [row, words] of patch) marked[row] = hasWord(words ?? '', beginning) ? 1 : 0;
      for (let row = 0; row < counts.length; row += 1)
        counts[row] = (counts[row] as number) + (marked[row] as number);
    }
    const rows: number[] = [];
    for (let row = 0; row < counts.length; row += 1) if (counts[row] === beginnings.length) rows.push(row);
    return Uint32Array.from(rows);
  }

  filteredColumn(segment: Segment, filter: RowFilter): FilteredColumn {
    const { field, name, or: other } = filter;
    const or = other && this.filteredColumn(segment, other);
    const rows = isOfLists(segment, field) && this.#rowsOfBuckets(segment, filter);
    if (rows) {
      const column = { dictionary: buildDictionary([]), ordinals: markRows(rows, segment) };
      const isAccepted = Number(!acceptsAnyId(filter));
      return { filter, column, accepted: Uint8Array.of(1 - isAccepted, isAccepted), or };
    }
    const column = this.column(segment, field);
    const searchTexts = isSearch(filter) ? this.searchTexts(segment, field) : undefined;
    const filtered = { filter, column, searchTexts, or };
    if (name === undefined) return filtered;
    const derive = (): Uint8Array => acceptedOrdinals(filtered);
    const current = this.#current(segment, field);
    const ofColumn = `${current.name}/${name}`;
    const accepted = this.#items.derived(ofColumn, current.patches, derive, ({ byteLength }) => byteLength);
    return { ...filtered, accepted };
  }

  /** Returns the rows that exist. They are found once for all lists of a process: each list of a segment with deleted rows begins with them. */
  #existingRows(segment: Segment): Uint32Array {
    const { name, patches } = this.#current(segment, versionField);
    const derive = (): Uint32Array => {
      const column = this.column(segment, versionField);
      return Uint32Array.from({ length: segment.rows }, (_, row) => row).filter(
        (row) => !isDeletedVersion(valueAt(column, row)),
      );
    };
    return this.#items.derived(`${name}/existing`, patches, derive, ({ byteLength }) => byteLength);
  }

  /** Returns the rows that a filter accepts, or of one that accepts any id all others, in their order, if buckets have them. */
  #rowsOfBuckets(segment: Segment, filter: RowFilter): Uint32Array | undefined {
    const byBucket = textsByBucket(segment, filter);
    if (!byBucket) return undefined;
    const textsOf = new Map([...byBucket].map(([name, texts]) => [this.#items.get<Bucket>(name), texts]));
    const patch = joinColumnPatches(this.#current(segment, filter.field).columnPatches);
    const accepts = valuePredicate(filter);
    return rowsOfTexts(textsOf, patch, (value) => accepts(value) !== acceptsAnyId(filter));
  }

  /** Returns the only rows that a filter accepts, in their order, if they are known or buckets have them; otherwise the whole column decides. */
  rowsOfFilter(segment: Segment, filter: RowFilter): Uint32Array | undefined {
    if (filter === isNotDeleted) return this.#existingRows(segment);
    if (isWordFilter(filter)) return this.#rowsOfWords(segment, wordsOfFilter(filter));
    return filter.or || acceptsAnyId(filter) ? undefined : this.#rowsOfBuckets(segment, filter);
  }
}
