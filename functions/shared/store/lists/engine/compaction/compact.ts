/**
 * Compaction: absorbs settled records of the change log into columns. One step reads the manifest and some records, writes new items
 * under new names, and replaces the manifest. A crash at any point leaves the old manifest, which is complete.
 */

import type { LogRecord } from '../../../model/change-log.ts';
import { firstIdAt } from '../../../model/ids.ts';
import { healingIntervalMs, healingWindowMs, marginMs, maxCreationMs } from '../../../model/log-timing.ts';
import { buildColumn, columnValues, encodeColumn, patchColumn, valueAt } from '../column.ts';
import type { ColumnCache } from '../column-cache.ts';
import { chunkRows, idAt } from '../ids.ts';
import {
  deletedVersion,
  emptyManifest,
  type ItemName,
  type Manifest,
  manifestNames,
  newSnapshotId,
  type Run,
  runName,
  type Segment,
  type SnapshotId,
  smallRunName,
  versionField,
} from '../manifest.ts';
import { mergeRecords } from '../row-change.ts';
import {
  countValues,
  encodeRun,
  encodeRunItems,
  fieldsOf,
  type MutableRunValues,
  mergeRuns,
  patchOf,
  setValue,
} from '../run.ts';
import { Snapshot } from '../snapshot.ts';
import type { LogWriter } from '../storage.ts';
import { type LocatedChanges, lateRecords, locateChanges } from './locate.ts';
import { planRewrites, type Rewrite } from './plan-rewrites.ts';
import {
  areTooLarge,
  maxSegmentRows,
  type NewItems,
  type SegmentRow,
  SegmentWriter,
} from './segment-writer.ts';
import { deleteGarbage, recordStep } from './steps.ts';

/** Sizes that decide what a step writes. The simulation uses small ones, to see everything with few rows. */
export interface CompactionSizes {
  /** Rows in a segment, at most. */
  readonly maxRows: number;
  /** The share of changed values above which a column is written again. */
  readonly maxPatchedShare: number;
  /** Runs of one level that are merged into one of the next. */
  readonly fanOut: number;
  /** Bytes of a run above which each of its fields becomes an item of its own. */
  readonly maxWholeRunBytes: number;
  /** Records that one step reads, at most. */
  readonly maxRecords: number;
  /** Records for which the first step of a log is worth its cost, and each further one. */
  readonly minFirstRecords: number;
  readonly minRecords: number;
}

export const defaultSizes: CompactionSizes = {
  maxRows: maxSegmentRows,
  maxPatchedShare: 0.1,
  fanOut: 4,
  maxWholeRunBytes: 8_192,
  maxRecords: 4_000,
  minFirstRecords: 128,
  minRecords: 48,
};

/** Milliseconds after which a record is absorbed however few there are: long before records expire. */
const maxWaitMs = 86_400_000;

/** What compaction works with. */
export interface CompactionSource {
  readonly writer: LogWriter;
  readonly cache: ColumnCache;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Milliseconds after which a record is settled. */
  readonly marginMs?: number;
  /** Absorbs also a few recent records. */
  readonly isForced?: boolean;
  readonly sizes?: CompactionSizes;
}

/** The settled records that a step absorbs. */
interface Input {
  readonly records: readonly LogRecord[];
  /** Records below the watermark, most of which were absorbed before. */
  readonly healing: readonly LogRecord[];
  /** Number of settled records that are too few for a step. */
  readonly waiting: number;
  readonly watermark: number;
  readonly healedAt: number;
  readonly hasMore: boolean;
}

/** Reads the oldest settled records: all up to a stamp, about as many as `maxRecords`. */
async function readSettled(
  writer: LogWriter,
  above: number,
  upTo: number,
  maxRecords: number,
): Promise<{ readonly records: readonly LogRecord[]; readonly reached: number; readonly hasMore: boolean }> {
  if (upTo <= above) return { records: [], reached: above, hasMore: false };
  const records = await writer.readOldestRecords(above, upTo, maxRecords);
  const last = records.at(-1);
  if (!last || records.length < maxRecords) return { records, reached: upTo, hasMore: false };
  // Of the last stamp, there may be more records.
  const complete = records.filter(({ stamp }) => stamp < last.stamp);
  if (complete.length === 0) return readSettled(writer, above, upTo, 2 * maxRecords);
  return { records: complete, reached: last.stamp - 1, hasMore: true };
}

/** Returns whether records are many enough, or old enough, for a step. */
function isWorthAStep(
  records: readonly LogRecord[],
  { version }: Manifest,
  nowMs: number,
  { minFirstRecords, minRecords }: CompactionSizes,
): boolean {
  const [oldest] = records;
  if (!oldest) return false;
  return records.length >= (version === 0 ? minFirstRecords : minRecords) || oldest.stamp + maxWaitMs < nowMs;
}

/** Reads the records that are settled and not absorbed, and from time to time those below the watermark again. */
async function readInput(
  source: CompactionSource,
  manifest: Manifest,
  sizes: CompactionSizes,
): Promise<Input> {
  const { writer, nowMs } = source;
  const { watermark, healedAt } = manifest;
  const upTo = nowMs - (source.marginMs ?? marginMs);
  const isHealing = nowMs >= healedAt + healingIntervalMs;
  const healing =
    isHealing && watermark > 0
      ? await writer.readRecords(Math.max(0, watermark - healingWindowMs), watermark)
      : [];
  const { records, reached, hasMore } = await readSettled(writer, watermark, upTo, sizes.maxRecords);
  const isWorthwhile = source.isForced || isWorthAStep(records, manifest, nowMs, sizes);
  return {
    records: isWorthwhile ? records : [],
    healing,
    waiting: isWorthwhile ? 0 : records.length,
    watermark: isWorthwhile ? Math.max(watermark, reached) : watermark,
    healedAt: isHealing ? nowMs : healedAt,
    hasMore,
  };
}

/** Returns the fields of a segment. A field that is newer than the segment has values in runs and no column. */
const storedFields = ({ columns, patched }: Segment): string[] => Object.keys({ ...columns, ...patched });

/** One step: what it has read, and what it is going to write. */
class Step {
  readonly snapshotId: SnapshotId;
  readonly items: NewItems;
  readonly #writer: SegmentWriter;
  readonly #snapshot: Snapshot;
  readonly #located: LocatedChanges;
  readonly #sizes: CompactionSizes;

  constructor(snapshot: Snapshot, located: LocatedChanges, sizes: CompactionSizes) {
    this.snapshotId = newSnapshotId(snapshot.manifest.version + 1);
    this.#writer = new SegmentWriter(this.snapshotId, sizes.maxRows);
    this.items = this.#writer.items;
    this.#snapshot = snapshot;
    this.#located = located;
    this.#sizes = sizes;
  }

  /** Returns the live rows of segments, with the changes of this step. */
  async #rowsOf(segments: readonly Segment[]): Promise<SegmentRow[]> {
    const fields = [...new Set(segments.flatMap(storedFields))];
    await Promise.all([this.#snapshot.loadColumns(fields, segments), this.#snapshot.loadAllIds(segments)]);
    return segments.flatMap((segment) => this.#rowsOfOne(segment));
  }

  #rowsOfOne(segment: Segment): SegmentRow[] {
    const position = this.#snapshot.manifest.segments.findIndex(({ id }) => id === segment.id);
    const updates = this.#located.updates.get(position) ?? [];
    const fields = storedFields(segment);
    const updated = new Map(updates.map((update) => [update.row, update]));
    const columns = fields.map((field) => [field, this.#snapshot.column(segment, field)] as const);
    const rows: SegmentRow[] = [];
    for (let row = 0; row < segment.rows; row += 1) {
      const values = Object.fromEntries(columns.map(([field, column]) => [field, valueAt(column, row)]));
      for (const [field, value] of updated.get(row)?.values ?? []) values[field] = value;
      const { [versionField]: version, ...own } = values;
      if (version === deletedVersion) continue;
      const id = idAt(this.#snapshot.ids(segment, Math.floor(row / chunkRows)), row % chunkRows);
      rows.push({ id, version: Number(version), values: own });
    }
    return rows;
  }

  /** Writes segments again. Returns all segments of the new manifest. */
  async rewriteSegments(rewrites: readonly Rewrite[], youngId: string): Promise<Segment[]> {
    const { segments } = this.#snapshot.manifest;
    const written: Segment[] = [];
    let position = 0;
    for (const { from, to, inserts } of rewrites) {
      const kept = await this.#rowsOf(segments.slice(from, to));
      const rows = [...kept, ...inserts].sort((one, other) => (one.id < other.id ? -1 : 1));
      const young = to === segments.length ? rows.filter(({ id }) => id >= youngId) : [];
      const settled = rows.slice(0, rows.length - young.length);
      written.push(...segments.slice(position, from));
      written.push(...this.#writer.write(settled), ...this.#writer.write(young));
      position = to;
    }
    return [...written, ...segments.slice(position)];
  }

  /** Returns the new values of the segments that are not written again, and counts them in their segments. */
  collectValues(rewrites: readonly Rewrite[], segments: Segment[]): MutableRunValues {
    const values: MutableRunValues = new Map();
    for (const [position, updates] of this.#located.updates) {
      if (rewrites.some(({ from, to }) => position >= from && position < to)) continue;
      const segment = this.#snapshot.manifest.segments[position] as Segment;
      const patched: Record<string, number> = { ...segment.patched };
      for (const update of updates) {
        for (const [field, value] of update.values) {
          setValue(values, segment.id, field, [update.row, value]);
          patched[field] = (patched[field] ?? 0) + 1;
        }
      }
      const deleted = segment.deleted + updates.filter(({ isDeleted }) => isDeleted).length;
      segments[segments.findIndex(({ id }) => id === segment.id)] = { ...segment, patched, deleted };
    }
    return values;
  }

  /**
   * Writes the columns again of which too many values are in runs, and takes these values out of the new run. Returns all segments of
   * the new manifest.
   */
  async rewriteColumns(segments: readonly Segment[], values: MutableRunValues): Promise<Segment[]> {
    const written: Segment[] = [];
    for (const segment of segments) {
      const maxPatched = segment.rows * this.#sizes.maxPatchedShare;
      const fields = Object.keys(segment.patched).filter(
        (field) => (segment.patched[field] ?? 0) > maxPatched,
      );
      written.push(...(await this.#rewriteFields(segment, fields, values)));
    }
    return written;
  }

  /** Writes some columns of a segment again. Returns the segment, or several when the columns outgrow their items. */
  async #rewriteFields(
    segment: Segment,
    fields: readonly string[],
    values: MutableRunValues,
  ): Promise<Segment[]> {
    if (fields.length === 0) return [segment];
    await this.#snapshot.loadColumns(fields, [segment]);
    const columns = new Map<string, Buffer>();
    for (const field of fields) {
      const patched = patchColumn(this.#snapshot.column(segment, field), patchOf(values, segment.id, field));
      // Built again, because the dictionary of a patched column also has the values that were replaced.
      columns.set(field, encodeColumn(buildColumn(columnValues(patched))));
    }
    if (areTooLarge(columns)) {
      values.delete(segment.id);
      return this.#writer.write(await this.#rowsOf([segment]));
    }
    for (const [field, bytes] of columns) {
      this.items.set(`${segment.id}/${this.snapshotId}/${field}`, bytes);
      values.get(segment.id)?.delete(field);
    }
    const own = Object.fromEntries(fields.map((field) => [field, this.snapshotId]));
    const left = Object.entries(segment.patched).filter(([field]) => !fields.includes(field));
    return [{ ...segment, columns: { ...segment.columns, ...own }, patched: Object.fromEntries(left) }];
  }

  /** Writes a run. @returns nothing when there are no values. */
  #writeRun(values: MutableRunValues, level: number): Run[] {
    const count = countValues(values);
    if (count === 0) return [];
    const whole = encodeRun(values);
    const run = { snapshot: this.snapshotId, level, values: count };
    if (whole.length <= this.#sizes.maxWholeRunBytes) {
      this.items.set(smallRunName(this.snapshotId), whole);
      return [run];
    }
    const items: Record<string, number> = {};
    for (const field of fieldsOf(values)) {
      const encoded = encodeRunItems(values, field);
      items[field] = encoded.length;
      for (const [number, bytes] of encoded.entries()) {
        this.items.set(runName(this.snapshotId, field, number), bytes);
      }
    }
    return [{ ...run, items }];
  }

  /** Writes the new values as a run, merged with the runs of the lowest levels when these are many. */
  async writeRuns(values: MutableRunValues, segments: readonly Segment[]): Promise<Run[]> {
    const { runs } = this.#snapshot.manifest;
    const kept = [...runs];
    const merged: Run[] = [];
    let level = 0;
    while (kept.filter((run) => run.level === level).length + 1 >= this.#sizes.fanOut) {
      const own = kept.filter((run) => run.level === level);
      merged.unshift(...kept.splice(kept.length - own.length, own.length));
      level += 1;
    }
    if (merged.length === 0) return [...kept, ...this.#writeRun(values, 0)];
    await this.#snapshot.loadRuns(merged);
    const newest: Run = { snapshot: this.snapshotId, level, values: 0 };
    const all = mergeRuns(
      merged.map((run) => ({ run, values: this.#snapshot.runValues(run) })),
      segments,
    );
    for (const [segmentId, fields] of mergeRuns([{ run: newest, values }], segments)) {
      for (const [field, patch] of fields) for (const entry of patch) setValue(all, segmentId, field, entry);
    }
    return [...kept, ...this.#writeRun(all, level)];
  }
}

/** Returns the manifest after a step; `undefined` when there is nothing to absorb. */
async function nextManifest(
  { writer, cache }: CompactionSource,
  manifest: Manifest,
  input: Input,
  sizes: CompactionSizes,
): Promise<{ readonly next: Manifest; readonly step: Step } | undefined> {
  const snapshot = new Snapshot(manifest, writer, cache);
  const late = await lateRecords(snapshot, input.healing);
  if (late.length + input.records.length === 0) return undefined;
  const located = await locateChanges(snapshot, mergeRecords([...late, ...input.records]));
  const youngId = firstIdAt(input.watermark - maxCreationMs);
  const rewrites = planRewrites(manifest.segments, located.inserts, youngId, sizes.maxRows);
  const step = new Step(snapshot, located, sizes);
  const rewritten = await step.rewriteSegments(rewrites, youngId);
  const values = step.collectValues(rewrites, rewritten);
  const segments = await step.rewriteColumns(rewritten, values);
  const runs = await step.writeRuns(values, segments);
  const { watermark, healedAt } = input;
  return { next: { version: manifest.version + 1, watermark, healedAt, segments, runs }, step };
}

/** What a step did. */
export interface CompactionResult {
  /** Number of records that were absorbed. */
  readonly records: number;
  /** Number of records that wait for a later step. */
  readonly waiting: number;
  /** Whether more records are settled than one step absorbs. */
  readonly hasMore: boolean;
}

/**
 * Takes one step: absorbs the oldest settled records.
 * @returns `undefined` when another process was faster.
 */
export async function compact(source: CompactionSource): Promise<CompactionResult | undefined> {
  const { writer, nowMs, sizes = defaultSizes } = source;
  const manifest = (await writer.readHead(nowMs)).manifest ?? emptyManifest;
  const input = await readInput(source, manifest, sizes);
  const result = { records: input.records.length, waiting: input.waiting, hasMore: input.hasMore };
  if (input.records.length + input.healing.length === 0) return result;
  const planned = await nextManifest(source, manifest, input, sizes);
  if (!planned) return result;
  const { next, step } = planned;
  const live = new Set(manifestNames(next));
  const replaced = manifestNames(manifest).filter((name) => !live.has(name));
  const names: ItemName[] = [...step.items.keys(), ...replaced];
  await recordStep(writer, next, step.snapshotId, { beganAt: nowMs, names });
  await writer.putItems(step.items);
  if (!(await writer.replaceManifest(next))) return undefined;
  await deleteGarbage(writer, next, nowMs);
  return result;
}
