/** Decodes immutable items by their names. */

import { inflate } from '../../model/deflate.ts';
import type { StoredItem } from '../../model/stored-format.ts';
import { type Bucket, bytesOfBucket, decodeBucket } from './buckets.ts';
import { type Column, columnBytes, decodeColumn } from './column.ts';
import {
  hasPositions,
  type ItemName,
  isBucketName,
  isColumnName,
  isPatchName,
  isStepName,
  isWaitingName,
  wordIndexPart,
} from './manifest.ts';
import { bytesOfPatch, decodePatch, type PatchValues } from './patch.ts';
import { bytesOfRows, decodeRows, type WaitingRow } from './waiting-rows.ts';
import { decodeFirstWords } from './word-index.ts';

export type DecodedItem = Column | Bucket | Buffer | PatchValues | readonly WaitingRow[] | readonly string[];

/** Bytes in memory of a word, at most. */
const wordBytes = 100;

export function storedItemOf(name: ItemName): StoredItem {
  if (isPatchName(name)) return 'patch';
  if (isStepName(name)) return 'step';
  if (isWaitingName(name)) return 'waiting rows';
  if (wordIndexPart(name)) return 'words';
  if (hasPositions(name)) return 'positions';
  if (isBucketName(name)) return 'bucket';
  return isColumnName(name) ? 'column' : 'ids';
}

const inWhole = (value: Buffer) => ({ value, bytes: value.length });

export function decodeItem(
  name: ItemName,
  encoded: Uint8Array,
): { readonly value: DecodedItem; readonly bytes: number } {
  if (isPatchName(name)) {
    const value = decodePatch(encoded);
    return { value, bytes: bytesOfPatch(value) };
  }
  if (isWaitingName(name)) {
    const value = decodeRows(encoded);
    return { value, bytes: bytesOfRows(value) };
  }
  const part = wordIndexPart(name);
  if (part) {
    if (part === 'other') return inWhole(inflate(encoded));
    const value = decodeFirstWords(encoded);
    return { value, bytes: wordBytes * value.length };
  }
  if (hasPositions(name)) return inWhole(inflate(encoded));
  if (isBucketName(name)) {
    const value = decodeBucket(encoded);
    return { value, bytes: bytesOfBucket(value) };
  }
  if (!isColumnName(name)) return inWhole(Buffer.from(encoded));
  const value = decodeColumn(encoded);
  return { value, bytes: columnBytes(value) };
}
