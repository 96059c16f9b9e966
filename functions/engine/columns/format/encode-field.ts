import { deflate } from '../../model/deflate.ts';
import { wordsField } from '../../model/words.ts';
import { divideIds, encodeBucket } from './buckets.ts';
import { buildColumn, encodeColumn } from './column.ts';
import type { ColumnValue } from './dictionary.ts';
import { idsOfValues } from './lists.ts';
import { positionsField } from './manifest.ts';
import { encodeWordIndex } from './word-index.ts';

/**
 * Returns the items of a field by the names of columns: one item, or the buckets of a large column of ids, words or lists. Large lists have a second column
 * with the positions of their ids.
 * @param bucketBytes bytes of a bucket, on average.
 */
export function encodeField(
  field: string,
  values: readonly ColumnValue[],
  bucketBytes: number,
  requireTime: () => void,
): Map<string, Buffer[]> {
  if (field === wordsField) return new Map([[field, encodeWordIndex(values, bucketBytes, requireTime)]]);
  const { ids = [], isOfLists = false } = idsOfValues(values) ?? {};
  const whole = divideIds(ids, 1).reduce((sum, bucket) => sum + encodeBucket(bucket).length, 0);
  // The texts of small lists are as small, and one item. Those of many lists deflate slowly.
  if (ids.length === 0 || whole <= bucketBytes)
    return new Map([[field, [encodeColumn(buildColumn(values))]]]);
  const buckets = divideIds(ids, Math.ceil(whole / bucketBytes));
  const columns = new Map([[field, buckets.map(encodeBucket)]]);
  if (!isOfLists) return columns;
  const positions = buckets.map((bucket) => deflate(Uint8Array.from(bucket.positions)));
  return columns.set(positionsField(field), positions);
}
