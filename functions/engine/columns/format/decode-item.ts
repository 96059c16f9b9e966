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

const decoded = <Item extends DecodedItem>(value: Item, bytesOf: (item: Item) => number) => ({
  value: value as DecodedItem,
  bytes: bytesOf(value),
});

const lengthOf = ({ length }: Buffer): number => length;

/** Returns the item with a name, and its bytes in memory. */
export function decodeItem(name: ItemName, encoded: Uint8Array) {
  switch (storedItemOf(name)) {
    case 'patch':
      return decoded(decodePatch(encoded), bytesOfPatch);
    case 'waiting rows':
      return decoded(decodeRows(encoded), bytesOfRows);
    case 'words':
      return wordIndexPart(name) === 'first'
        ? decoded(decodeFirstWords(encoded), ({ length }) => wordBytes * length)
        : decoded(inflate(encoded), lengthOf);
    case 'positions':
      return decoded(inflate(encoded), lengthOf);
    case 'bucket':
      return decoded(decodeBucket(encoded), bytesOfBucket);
    case 'column':
      return decoded(decodeColumn(encoded), columnBytes);
    default:
      return decoded(Buffer.from(encoded), lengthOf);
  }
}
