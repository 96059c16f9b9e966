/** Writes segments again that new rows belong to, and columns of which runs hide too many values. */
import { encodeColumnItems } from '../buckets.ts';
import { buildColumn, columnValues, patchColumn, valueAt } from '../column.ts';
import { countRow, type FacetCounts } from '../facets.ts';
import {
  deletedVersion,
  type FacetFields,
  newSnapshotId,
  type Segment,
  type SnapshotId,
  storedFields,
  versionField,
} from '../manifest.ts';
import { type MutableRunValues, patchOf, setValue } from '../run.ts';
import type { Snapshot } from '../snapshot.ts';
import type { LocatedChanges } from './locate-changes.ts';
import type { Rewrite } from './plan-rewrites.ts';
import {
  addColumns,
  areTooLarge,
  countBuckets,
  type NewItems,
  type SegmentRow,
  SegmentWriter,
} from './segment-writer.ts';
import type { CompactionSizes } from './sizes.ts';

/** Returns the columns to write again, by segment: those of which runs hide the largest share. */
function fieldsToRewrite(
  segments: readonly Segment[],
  { maxPatchedShare, maxRewrittenColumns }: CompactionSizes,
): Map<string, string[]> {
  const columns = segments
    .flatMap(({ id, rows, patched }) =>
      Object.entries(patched).map(([field, count]) => ({ id, field, share: count / rows })),
    )
    .filter(({ share }) => share > maxPatchedShare)
    .sort((one, other) => other.share - one.share)
    .slice(0, maxRewrittenColumns);
  const bySegment = new Map<string, string[]>();
  for (const { id, field } of columns) bySegment.set(id, [...(bySegment.get(id) ?? []), field]);
  return bySegment;
}

/** One step: what it has read, and the items that it writes. */
export class CompactionStep {
  readonly snapshotId: SnapshotId;
  readonly sizes: CompactionSizes;
  readonly items: NewItems;
  readonly #writer: SegmentWriter;
  readonly #snapshot: Snapshot;
  readonly #located: LocatedChanges;
  readonly #facets: readonly FacetFields[];

  /** @param facets what is counted. */
  constructor(
    snapshot: Snapshot,
    located: LocatedChanges,
    sizes: CompactionSizes,
    facets: readonly FacetFields[],
  ) {
    this.snapshotId = newSnapshotId(snapshot.manifest.version + 1);
    this.#writer = new SegmentWriter(this.snapshotId, sizes, facets);
    this.items = this.#writer.items;
    this.#snapshot = snapshot;
    this.#located = located;
    this.#facets = facets;
    this.sizes = sizes;
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
      rows.push({ id: this.#snapshot.idOf(segment, row), version: Number(version), values: own });
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
      written.push(...segments.slice(position, from));
      if (to === segments.length) {
        const young = rows.filter(({ id }) => id >= youngId);
        const settled = rows.slice(0, rows.length - young.length);
        written.push(...this.#writer.fill(settled), ...this.#writer.fill(young));
      } else {
        written.push(...this.#writer.write(rows));
      }
      position = to;
    }
    return [...written, ...segments.slice(position)];
  }

  /** Adds the changes of rows to the facets of the segments that this step has written so far. Returns all of them. */
  countChanges(): FacetCounts {
    const counts = this.#writer.facetCounts;
    for (const [position, updates] of this.#located.updates) {
      const segmentId = (this.#snapshot.manifest.segments[position] as Segment).id;
      for (const { before, values, isDeleted } of updates) {
        countRow(counts, this.#facets, { segmentId, values: before, count: -1 });
        const after = { ...before, ...Object.fromEntries(values) };
        if (!isDeleted) countRow(counts, this.#facets, { segmentId, values: after, count: 1 });
      }
    }
    return counts;
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
   * Writes the columns again of which runs hide too many values, and takes these values out of the new run. Returns all segments of the
   * new manifest.
   */
  async rewriteColumns(segments: readonly Segment[], values: MutableRunValues): Promise<Segment[]> {
    const fields = fieldsToRewrite(segments, this.sizes);
    const written: Segment[] = [];
    for (const segment of segments) {
      written.push(...(await this.#rewriteFields(segment, fields.get(segment.id) ?? [], values)));
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
    const columns = new Map<string, Buffer[]>();
    for (const field of fields) {
      const patched = patchColumn(this.#snapshot.column(segment, field), patchOf(values, segment.id, field));
      // Built again, because the dictionary of a patched column also has the values that were replaced.
      columns.set(field, encodeColumnItems(buildColumn(columnValues(patched)), this.sizes.bucketBytes));
    }
    if (areTooLarge(columns)) {
      values.delete(segment.id);
      return this.#writer.write(await this.#rowsOf([segment]));
    }
    for (const field of fields) values.get(segment.id)?.delete(field);
    const ofOthers = (numbers: Readonly<Record<string, number>>): Record<string, number> =>
      Object.fromEntries(Object.entries(numbers).filter(([field]) => !fields.includes(field)));
    const own = Object.fromEntries(fields.map((field) => [field, this.snapshotId]));
    const written: Segment = {
      ...segment,
      columns: { ...segment.columns, ...own },
      buckets: { ...ofOthers(segment.buckets), ...countBuckets(columns) },
      patched: ofOthers(segment.patched),
    };
    addColumns(this.items, written, columns);
    return [written];
  }
}
