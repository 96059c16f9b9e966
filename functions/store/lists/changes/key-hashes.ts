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

const bucketOf = (key: string, from: number): number =>
  Math.min(bucketCount - 1, Math.floor((stampOf(key) - from - 1) / bucketMs));

function keysByBucket(keys: readonly string[], from: number): string[][] {
  const buckets: string[][] = [];
  for (const key of keys) {
    const bucket = bucketOf(key, from);
    while (buckets.length <= bucket) buckets.push([]);
    buckets[bucket]?.push(key);
  }
  return buckets;
}

const hashOf = (keys: readonly string[]): Buffer | undefined =>
  keys.length === 0 ? undefined : hash('sha256', keys.join(), 'buffer').subarray(0, bucketHashBytes);

/** Returns the hashes of keys by bucket. @param keys in their order, with stamps above `from`. */
export const hashKeys = (keys: readonly string[], from: number): (Buffer | undefined)[] =>
  keysByBucket(keys, from).map(hashOf);

/**
 * Returns those keys whose bucket has another hash than before.
 * @param keys in their order, with stamps above `from`.
 */
export const changedKeys = (
  keys: readonly string[],
  from: number,
  hashes: readonly (Buffer | undefined)[],
): Set<string> =>
  new Set(
    keysByBucket(keys, from).flatMap((own, bucket) => {
      const before = hashes[bucket];
      const isSame = before === undefined ? own.length === 0 : hashOf(own)?.equals(before) === true;
      return isSame ? [] : own;
    }),
  );
