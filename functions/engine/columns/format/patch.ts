/** Patches: the values that compaction steps have changed, by segment, field and row. */
import { deflate, inflate } from '../../model/deflate.ts';
import type { ColumnPatch } from './column.ts';
import { bytesOfValue, type ColumnValue, fromStored, type StoredValue, toStored } from './dictionary.ts';
import { maxItemBytes, type Patch, type Segment, sequenceOf } from './manifest.ts';

/** By the segment's id and the field. */
export type PatchValues = ReadonlyMap<string, ReadonlyMap<string, ColumnPatch>>;

export type MutablePatchValues = Map<string, Map<string, Map<number, ColumnValue>>>;

const noColumnPatch: ColumnPatch = new Map();

export const columnPatchOf = (
  values: PatchValues | undefined,
  segmentId: string,
  field: string,
): ColumnPatch => values?.get(segmentId)?.get(field) ?? noColumnPatch;

export function setValue(
  values: MutablePatchValues,
  segmentId: string,
  field: string,
  [row, value]: readonly [number, ColumnValue],
): void {
  const fields = values.get(segmentId) ?? new Map<string, Map<number, ColumnValue>>();
  values.set(segmentId, fields);
  const columnPatch = fields.get(field) ?? new Map<number, ColumnValue>();
  fields.set(field, columnPatch);
  columnPatch.set(row, value);
}

export function countValues(values: PatchValues): number {
  let count = 0;
  for (const fields of values.values()) for (const columnPatch of fields.values()) count += columnPatch.size;
  return count;
}

/** Bytes of a value in memory without its text, about. */
const valueBytes = 120;

export function bytesOfPatch(values: PatchValues): number {
  let bytes = 0;
  for (const fields of values.values())
    for (const columnPatch of fields.values())
      for (const value of columnPatch.values()) bytes += valueBytes + bytesOfValue(value);
  return bytes;
}

export const fieldsOf = (values: PatchValues): string[] => [
  ...new Set([...values.values()].flatMap((fields) => [...fields.keys()])),
];

/** Returns whether the values of a patch are newer than a column, so that they replace the column's. */
export const isNewerThan = ({ step }: Patch, { columns }: Segment, field: string): boolean =>
  sequenceOf(step) > sequenceOf(columns[field] ?? '0');

/** Rows as differences to the row before, and their values. */
type StoredColumnPatch = [rows: number[], values: StoredValue[]];

function encodeColumnPatch(columnPatch: ColumnPatch): StoredColumnPatch {
  const entries = [...columnPatch].sort(([one], [other]) => one - other);
  return [
    entries.map(([row], position) => row - (entries[position - 1]?.[0] ?? 0)),
    entries.map(([, value]) => toStored(value)),
  ];
}

function decodeColumnPatch([rows, values]: StoredColumnPatch): ColumnPatch {
  let row = 0;
  return new Map(
    rows.map((difference, position): [number, ColumnValue] => {
      row += difference;
      return [row, fromStored(values[position])];
    }),
  );
}

/**
 * Encodes values of a patch.
 * @param field encodes only the values of this field.
 */
export function encodePatch(values: PatchValues, field?: string): Buffer {
  const stored: Record<string, Record<string, StoredColumnPatch>> = {};
  for (const [segmentId, fields] of values) {
    const wanted = [...fields].filter(([name]) => field === undefined || name === field);
    if (wanted.length === 0) continue;
    stored[segmentId] = Object.fromEntries(
      wanted.map(([name, columnPatch]) => [name, encodeColumnPatch(columnPatch)]),
    );
  }
  return deflate(JSON.stringify(stored));
}

function halve(values: PatchValues, field: string): [PatchValues, PatchValues] {
  const halves: [MutablePatchValues, MutablePatchValues] = [new Map(), new Map()];
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
export function encodePatchItems(values: PatchValues, field: string, maxBytes = maxItemBytes): Buffer[] {
  const encoded = encodePatch(values, field);
  if (encoded.length <= maxBytes) return [encoded];
  return halve(values, field).flatMap((half) => encodePatchItems(half, field, maxBytes));
}

export function decodePatch(encoded: Uint8Array): PatchValues {
  const stored = JSON.parse(inflate(encoded).toString()) as Record<string, Record<string, StoredColumnPatch>>;
  return new Map(
    Object.entries(stored).map(([segmentId, fields]) => [
      segmentId,
      new Map(Object.entries(fields).map(([field, columnPatch]) => [field, decodeColumnPatch(columnPatch)])),
    ]),
  );
}

/**
 * Returns the values of several patches as one. Of one value, the newest patch decides. Values of segments that do not exist any more,
 * and values that the columns contain already, are left out.
 * @param patches the oldest first.
 */
export function mergePatches(
  patches: readonly { readonly patch: Patch; readonly values: PatchValues }[],
  segments: readonly Segment[],
): MutablePatchValues {
  const byId = new Map(segments.map((segment) => [segment.id, segment]));
  const merged: MutablePatchValues = new Map();
  const add = (patch: Patch, segment: Segment, field: string, columnPatch: ColumnPatch): void => {
    if (!isNewerThan(patch, segment, field)) return;
    for (const entry of columnPatch) setValue(merged, segment.id, field, entry);
  };
  for (const { patch, values } of patches) {
    for (const [segmentId, fields] of values) {
      const segment = byId.get(segmentId);
      if (segment) for (const [field, columnPatch] of fields) add(patch, segment, field, columnPatch);
    }
  }
  return merged;
}
