/** Small segments: all columns, the ids and the fence as one item, because each item costs a write unit and a deletion. */
import { deflateRawSync } from 'node:zlib';
import { idBytes } from '../../../model/bytes.ts';
import { inflate } from '../../../model/inflate.ts';
import { requireKnownFields } from '../../../model/stored-format.ts';
import { buildColumn, type Column, columnBytes } from './column.ts';
import { type ColumnValue, fromStored, type StoredValue, toStored } from './dictionary.ts';
import { chunkRows, countIds, encodeIds } from './ids.ts';

export interface SmallSegment {
  /** In their order. */
  readonly ids: Buffer;
  /** By field. */
  readonly columns: ReadonlyMap<string, Column>;
}

interface StoredSegment {
  readonly ids: readonly string[];
  readonly columns: Readonly<Record<string, readonly StoredValue[]>>;
}

export function encodeSmallSegment(
  ids: readonly string[],
  columns: ReadonlyMap<string, readonly ColumnValue[]>,
): Buffer {
  const stored: StoredSegment = {
    ids,
    columns: Object.fromEntries([...columns].map(([field, values]) => [field, values.map(toStored)])),
  };
  return deflateRawSync(JSON.stringify(stored));
}

const storedFields: Readonly<Record<keyof StoredSegment, true>> = { ids: true, columns: true };

/** Decodes what `encodeSmallSegment` returns. @throws UnknownFormat. */
export function decodeSmallSegment(encoded: Uint8Array): SmallSegment {
  const stored = JSON.parse(inflate(encoded).toString()) as StoredSegment;
  requireKnownFields('small segment', stored, storedFields);
  const { ids, columns } = stored;
  const decoded = Object.entries(columns).map(
    ([field, values]) => [field, buildColumn(values.map(fromStored))] as const,
  );
  return { ids: encodeIds(ids), columns: new Map(decoded) };
}

/** Returns the bytes of a small segment in memory. */
export function bytesOfSmallSegment({ ids, columns }: SmallSegment): number {
  let bytes = ids.length;
  for (const column of columns.values()) bytes += columnBytes(column);
  return bytes;
}

/** Returns the ids of one chunk. */
export const chunkOfSmallSegment = ({ ids }: SmallSegment, chunk: number): Buffer =>
  ids.subarray(chunk * chunkRows * idBytes, (chunk + 1) * chunkRows * idBytes);

/** Returns the first id of each chunk. */
export function fenceOfSmallSegment({ ids }: SmallSegment): Buffer {
  const firsts: Buffer[] = [];
  for (let row = 0; row < countIds(ids); row += chunkRows)
    firsts.push(ids.subarray(row * idBytes, (row + 1) * idBytes));
  return Buffer.concat(firsts);
}
