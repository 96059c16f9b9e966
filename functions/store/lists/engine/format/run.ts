/** Runs: the values that compaction steps have changed, by segment, field and row. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Patch } from './column.ts';
import type { ColumnValue } from './dictionary.ts';
import { maxItemBytes, type Run, type Segment, sequenceOf } from './manifest.ts';

/** By the segment's id and the field. */
export type RunValues = ReadonlyMap<string, ReadonlyMap<string, Patch>>;

/** Values that are still being collected. */
export type MutableRunValues = Map<string, Map<string, Map<number, ColumnValue>>>;

const noPatch: Patch = new Map();

export const patchOf = (values: RunValues | undefined, segmentId: string, field: string): Patch =>
  values?.get(segmentId)?.get(field) ?? noPatch;

export function setValue(
  values: MutableRunValues,
  segmentId: string,
  field: string,
  [row, value]: readonly [number, ColumnValue],
): void {
  const fields = values.get(segmentId) ?? new Map<string, Map<number, ColumnValue>>();
  values.set(segmentId, fields);
  const patch = fields.get(field) ?? new Map<number, ColumnValue>();
  fields.set(field, patch);
  patch.set(row, value);
}

export function countValues(values: RunValues): number {
  let count = 0;
  for (const fields of values.values()) for (const patch of fields.values()) count += patch.size;
  return count;
}

export const fieldsOf = (values: RunValues): string[] => [
  ...new Set([...values.values()].flatMap((fields) => [...fields.keys()])),
];

/** Returns whether the values of a run are newer than a column, so that they replace the column's. */
export const isNewerThan = ({ step }: Run, { columns }: Segment, field: string): boolean =>
  sequenceOf(step) > sequenceOf(columns[field] ?? '0');

/** Rows as differences to the row before, and their values. JSON has no `undefined`: 0 stands for it. */
type StoredPatch = [rows: number[], values: (string | null | 0)[]];

function encodePatch(patch: Patch): StoredPatch {
  const entries = [...patch].sort(([one], [other]) => one - other);
  return [
    entries.map(([row], position) => row - (entries[position - 1]?.[0] ?? 0)),
    entries.map(([, value]) => (value === undefined ? 0 : value)),
  ];
}

function decodePatch([rows, values]: StoredPatch): Patch {
  let row = 0;
  return new Map(
    rows.map((difference, position): [number, ColumnValue] => {
      row += difference;
      const value = values[position];
      return [row, value === 0 ? undefined : value];
    }),
  );
}

/**
 * Encodes values of a run.
 * @param field encodes only the values of this field.
 */
export function encodeRun(values: RunValues, field?: string): Buffer {
  const stored: Record<string, Record<string, StoredPatch>> = {};
  for (const [segmentId, fields] of values) {
    const wanted = [...fields].filter(([name]) => field === undefined || name === field);
    if (wanted.length === 0) continue;
    stored[segmentId] = Object.fromEntries(wanted.map(([name, patch]) => [name, encodePatch(patch)]));
  }
  return deflateRawSync(JSON.stringify(stored));
}

function halve(values: RunValues, field: string): [RunValues, RunValues] {
  const halves: [MutableRunValues, MutableRunValues] = [new Map(), new Map()];
  let isFirst = true;
  for (const [segmentId, fields] of values) {
    for (const entry of fields.get(field) ?? []) {
      setValue(halves[isFirst ? 0 : 1], segmentId, field, entry);
      isFirst = !isFirst;
    }
  }
  return halves;
}

/** Encodes the values of one field, as several items when one would be too large. */
export function encodeRunItems(values: RunValues, field: string, maxBytes = maxItemBytes): Buffer[] {
  const encoded = encodeRun(values, field);
  if (encoded.length <= maxBytes) return [encoded];
  return halve(values, field).flatMap((half) => encodeRunItems(half, field, maxBytes));
}

export function decodeRun(encoded: Uint8Array): RunValues {
  const stored = JSON.parse(inflateRawSync(encoded).toString()) as Record<
    string,
    Record<string, StoredPatch>
  >;
  return new Map(
    Object.entries(stored).map(([segmentId, fields]) => [
      segmentId,
      new Map(Object.entries(fields).map(([field, patch]) => [field, decodePatch(patch)])),
    ]),
  );
}

export function joinRunItems(items: readonly RunValues[]): RunValues {
  const [first, ...others] = items;
  if (first && others.length === 0) return first;
  const all: MutableRunValues = new Map();
  for (const values of items) {
    for (const [segmentId, fields] of values) {
      for (const [field, patch] of fields) for (const entry of patch) setValue(all, segmentId, field, entry);
    }
  }
  return all;
}

/**
 * Returns the values of several runs as one. Of one value, the newest run decides. Values of segments that do not exist any more,
 * and values that the columns contain already, are left out.
 * @param runs the oldest first.
 */
export function mergeRuns(
  runs: readonly { readonly run: Run; readonly values: RunValues }[],
  segments: readonly Segment[],
): MutableRunValues {
  const byId = new Map(segments.map((segment) => [segment.id, segment]));
  const merged: MutableRunValues = new Map();
  const add = (run: Run, segment: Segment, field: string, patch: Patch): void => {
    if (!isNewerThan(run, segment, field)) return;
    for (const entry of patch) setValue(merged, segment.id, field, entry);
  };
  for (const { run, values } of runs) {
    for (const [segmentId, fields] of values) {
      const segment = byId.get(segmentId);
      if (segment) for (const [field, patch] of fields) add(run, segment, field, patch);
    }
  }
  return merged;
}
