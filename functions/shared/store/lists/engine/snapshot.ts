/** Snapshots: the columns of a manifest, with the values of its runs. */
import { buildColumn, type Column, columnBytes, decodeColumn, patchColumn } from './column.ts';
import type { ColumnCache } from './column-cache.ts';
import type { ColumnValue } from './dictionary.ts';
import { bucketOf, decodeFacets, type FacetCounts } from './facets.ts';
import { chunkOfRow, chunkRows, idAt } from './ids.ts';
import {
  columnName,
  type FacetRun,
  facetName,
  facetNames,
  fenceName,
  type ItemName,
  idsName,
  isFacetName,
  isRunName,
  type Manifest,
  type Run,
  runNames,
  type Segment,
} from './manifest.ts';
import { decodeRun, isNewerThan, type MutableRunValues, patchOf, type RunValues, setValue } from './run.ts';
import type { LogReader } from './storage.ts';

/** The state that was read has been replaced while it was read: the read starts again. */
export class StaleRead extends Error {
  constructor(what: string) {
    super(`A list was read while it changed: ${what}.`);
    this.name = 'StaleRead';
  }
}

/** Times that a read is made, at most. */
const maxAttempts = 4;

/**
 * Reads again while the log changes.
 * @throws StaleRead when it changes so often that no attempt succeeds.
 */
export async function readUntilCurrent<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof StaleRead) || attempt === maxAttempts) throw error;
    }
  }
}

/** A decoded immutable item. */
type Decoded = Column | Buffer | RunValues | FacetCounts;

/** Bytes of a value of a run in memory, about. */
const runValueBytes = 120;

/** Bytes of a number of a facet, and of its key, in memory, about. */
const facetCountBytes = 60;
const facetKeyBytes = 300;

function decode(name: ItemName, encoded: Uint8Array): { readonly value: Decoded; readonly bytes: number } {
  if (isRunName(name)) {
    const value = decodeRun(encoded);
    let bytes = 0;
    for (const fields of value.values())
      for (const patch of fields.values()) bytes += patch.size * runValueBytes;
    return { value, bytes };
  }
  if (isFacetName(name)) {
    const value = decodeFacets(encoded);
    let bytes = 0;
    for (const counts of value.values()) bytes += facetKeyBytes + counts.size * facetCountBytes;
    return { value, bytes };
  }
  if (name.split('/').length === 2) return { value: Buffer.from(encoded), bytes: encoded.length };
  const value = decodeColumn(encoded);
  return { value, bytes: columnBytes(value) };
}

/** Reads the immutable items of one manifest. */
export class Snapshot {
  readonly manifest: Manifest;
  readonly #reader: LogReader;
  readonly #cache: ColumnCache;
  /** Items of this read: the cache may drop them meanwhile. */
  readonly #items = new Map<string, Decoded>();

  constructor(manifest: Manifest, reader: LogReader, cache: ColumnCache) {
    this.manifest = manifest;
    this.#reader = reader;
    this.#cache = cache;
  }

  /**
   * Reads items unless they are in memory.
   * @throws StaleRead when one does not exist any more.
   */
  async #load(names: readonly ItemName[]): Promise<void> {
    const missing = new Set<ItemName>();
    for (const name of names) {
      if (this.#items.has(name)) continue;
      const cached = this.#cache.get(name);
      if (cached === undefined) missing.add(name);
      else this.#items.set(name, cached as Decoded);
    }
    if (missing.size === 0) return;
    this.#keep(missing, await this.#reader.readItems([...missing], false));
    // A replica may not have an item yet that was written a moment ago.
    if (missing.size > 0) this.#keep(missing, await this.#reader.readItems([...missing], true));
    for (const name of missing) throw new StaleRead(`the item ${name} is gone`);
  }

  #keep(missing: Set<ItemName>, found: ReadonlyMap<ItemName, Uint8Array>): void {
    for (const [name, encoded] of found) {
      this.#reader.requireTime();
      const { value, bytes } = decode(name, encoded);
      this.#items.set(name, value);
      this.#cache.set(name, value, bytes);
      missing.delete(name);
    }
  }

  /** Reads the columns of some fields, of all segments or of some. */
  async loadColumns(
    fields: readonly string[],
    segments: readonly Segment[] = this.manifest.segments,
  ): Promise<void> {
    const columns = segments.flatMap((segment) =>
      fields.flatMap((field) => columnName(segment, field) ?? []),
    );
    const runs = this.manifest.runs.flatMap((run) => runNames(run, fields));
    await this.#load([...columns, ...runs]);
  }

  /** Reads all values of some runs. */
  async loadRuns(runs: readonly Run[]): Promise<void> {
    await this.#load(runs.flatMap((run) => runNames(run)));
  }

  /** Reads all numbers of some facet runs. */
  async loadFacetRuns(runs: readonly FacetRun[]): Promise<void> {
    await this.#load(runs.flatMap(facetNames));
  }

  /** Returns all numbers of a facet run, by bucket. */
  facetRun(run: FacetRun): FacetCounts[] {
    return facetNames(run).map((name) => this.#get<FacetCounts>(name));
  }

  /** Reads the numbers of rows with a key of facets. Returns them by the position of the segment. */
  async countRows(key: string): Promise<number[]> {
    const { segments, facets } = this.manifest;
    const names = facets.runs.map((run) => facetName(run, bucketOf(key, run.buckets)));
    await this.#load(names);
    const positions = new Map(segments.map(({ id }, position) => [id, position]));
    const counts = segments.map(() => 0);
    for (const name of names) {
      for (const [id, count] of this.#get<FacetCounts>(name).get(key) ?? []) {
        const position = positions.get(id);
        if (position !== undefined) counts[position] = (counts[position] as number) + count;
      }
    }
    return counts;
  }

  /** Reads the fences of segments. */
  async loadFences(segments: readonly Segment[]): Promise<void> {
    await this.#load(segments.map(fenceName));
  }

  /** Reads chunks of segments' ids. */
  async loadIds(chunks: readonly { readonly segment: Segment; readonly chunk: number }[]): Promise<void> {
    await this.#load(chunks.map(({ segment, chunk }) => idsName(segment, chunk)));
  }

  /** Reads all ids of segments. */
  async loadAllIds(segments: readonly Segment[]): Promise<void> {
    await this.loadIds(
      segments.flatMap((segment) =>
        Array.from({ length: Math.ceil(segment.rows / chunkRows) }, (_, chunk) => ({ segment, chunk })),
      ),
    );
  }

  #get<Item extends Decoded>(name: ItemName): Item {
    const item = this.#items.get(name);
    if (item === undefined) throw new Error(`The item ${name} was not loaded.`);
    return item as Item;
  }

  /** Returns the first id of each chunk. */
  fence(segment: Segment): Buffer {
    return this.#get(fenceName(segment));
  }

  /** Returns the ids of a chunk. */
  ids(segment: Segment, chunk: number): Buffer {
    return this.#get(idsName(segment, chunk));
  }

  /** Returns the id of a row. */
  idOf(segment: Segment, row: number): string {
    return idAt(this.ids(segment, chunkOfRow(row)), row % chunkRows);
  }

  /** Returns all values of a run. */
  runValues(run: Run): RunValues {
    const [first, ...others] = runNames(run).map((name) => this.#get<RunValues>(name));
    if (first && others.length === 0) return first;
    const all: MutableRunValues = new Map();
    for (const values of [first ?? [], ...others]) {
      for (const [segmentId, fields] of values) {
        for (const [field, patch] of fields)
          for (const entry of patch) setValue(all, segmentId, field, entry);
      }
    }
    return all;
  }

  /** Returns the runs that have values of a segment's field which its column does not contain, and these values. */
  #patches(
    segment: Segment,
    field: string,
  ): { readonly key: string; readonly patch: Map<number, ColumnValue> } {
    let key = '';
    const patch = new Map<number, ColumnValue>();
    for (const run of this.manifest.runs) {
      if (!isNewerThan(run, segment, field)) continue;
      for (const name of runNames(run, [field])) {
        const values = patchOf(this.#get<RunValues>(name), segment.id, field);
        if (values.size > 0) key += `+${run.snapshot}`;
        for (const [row, value] of values) patch.set(row, value);
      }
    }
    return { key, patch };
  }

  /** Returns the column of a field as of the manifest. A field without a column is absent in all rows. */
  column(segment: Segment, field: string): Column {
    const name = columnName(segment, field);
    const { key, patch } = this.#patches(segment, field);
    const cacheKey = `${name ?? `${segment.id}/absent/${field}`}${key}`;
    const known = this.#items.get(cacheKey) ?? this.#cache.get(cacheKey);
    if (known !== undefined) return known as Column;
    const base = name ? this.#get<Column>(name) : buildColumn(Array(segment.rows).fill(undefined));
    const column = patchColumn(base, patch);
    this.#items.set(cacheKey, column);
    this.#cache.set(cacheKey, column, columnBytes(column));
    return column;
  }
}
