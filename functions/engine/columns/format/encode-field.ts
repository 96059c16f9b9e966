/** Encodes the values of a field. */
import { deflate } from '../../model/deflate.ts';
import { wordsField } from '../../model/words.ts';
import { divideColumn, encodeBucket } from './buckets.ts';
import { buildColumn, encodeColumn } from './column.ts';
import type { ColumnValue } from './dictionary.ts';
import { elementsOf } from './lists.ts';
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
  const found = elementsOf(values);
  const lists = found?.isOfLists ? found.elements : undefined;
  const column = buildColumn(lists?.ids ?? values);
  const divide = (count: number) => divideColumn(column, count, lists);
  const [whole = 0] = found ? divide(1).map((bucket) => encodeBucket(bucket).length) : [];
  // The texts of small lists are as small, and one item. Those of many lists deflate slowly.
  if (whole <= bucketBytes) return new Map([[field, [encodeColumn(buildColumn(values))]]]);
  const buckets = divide(Math.ceil(whole / bucketBytes));
  const columns = new Map([[field, buckets.map(encodeBucket)]]);
  if (!lists) return columns;
  const positions = buckets.map((bucket) => deflate(Uint8Array.from(bucket.positions)));
  return columns.set(positionsField(field), positions);
}
