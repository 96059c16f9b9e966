/**
 * Hashes of the keys of records, by the time of their stamps. A cursor has hashes instead of keys, so it stays short at any rate of writes. A
 * record that appears late changes the hash of its time, and the records of this time count as new.
 */
import { hash } from 'node:crypto';
import { stampOf } from '../../model/change-log.ts';

/** Milliseconds of a bucket. */
const bucketMs = 250;

/** Buckets of a cursor: 16 seconds, more than the margin. The last one has all later keys, which clocks ahead of the others can make. */
export const bucketCount = 64;

/** Bytes of a hash: two different sets of keys do not have the same one by chance. */
export const bucketHashBytes = 6;

type Hashes = readonly (Buffer | undefined)[];

const bucketOf = (key: string, from: number): number =>
  Math.min(bucketCount - 1, Math.floor((stampOf(key) - from - 1) / bucketMs));

/** Returns the hash of the keys of a bucket and one more behind them. */
const withKey = (before: Buffer | undefined, key: string): Buffer =>
  hash('sha256', (before?.toString('base64url') ?? '') + key, 'buffer').subarray(0, bucketHashBytes);

/**
 * Returns the hashes of keys by bucket.
 * @param keys in their order, with stamps above `from`.
 */
export function hashKeys(keys: readonly string[], from: number): (Buffer | undefined)[] {
  const hashes: (Buffer | undefined)[] = [];
  for (const key of keys) {
    const bucket = bucketOf(key, from);
    while (hashes.length <= bucket) hashes.push(undefined);
    hashes[bucket] = withKey(hashes[bucket], key);
  }
  return hashes;
}

/**
 * Returns those keys whose bucket has another hash than before.
 * @param keys in their order, with stamps above `from`.
 */
export function changedKeys(keys: readonly string[], from: number, before: Hashes): Set<string> {
  const hashes = hashKeys(keys, from);
  const isSame = hashes.map((own, bucket) => {
    const known = before[bucket];
    return known !== undefined && own?.equals(known) === true;
  });
  return new Set(keys.filter((key) => !isSame[bucketOf(key, from)]));
}
