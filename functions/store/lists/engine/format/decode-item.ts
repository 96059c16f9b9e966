/** Decodes immutable items by their names. */
import { type Bucket, bytesOfBucket, decodeBucket } from './buckets.ts';
import { type Column, columnBytes, decodeColumn } from './column.ts';
import { type ItemName, isBucketName, isColumnName, isRunName } from './manifest.ts';
import { decodeRun, type RunValues } from './run.ts';

export type DecodedItem = Column | Bucket | Buffer | RunValues;

/** Bytes of a value of a run in memory, about. */
const runValueBytes = 120;

/** Returns what an item holds, and the bytes of that in memory. */
export function decodeItem(
  name: ItemName,
  encoded: Uint8Array,
): { readonly value: DecodedItem; readonly bytes: number } {
  if (isRunName(name)) {
    const value = decodeRun(encoded);
    let bytes = 0;
    for (const fields of value.values())
      for (const patch of fields.values()) bytes += patch.size * runValueBytes;
    return { value, bytes };
  }
  if (isBucketName(name)) {
    const value = decodeBucket(encoded);
    return { value, bytes: bytesOfBucket(value) };
  }
  if (!isColumnName(name)) return { value: Buffer.from(encoded), bytes: encoded.length };
  const value = decodeColumn(encoded);
  return { value, bytes: columnBytes(value) };
}
