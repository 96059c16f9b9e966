/**
 * Columns of lists of ids. A row lies in the bucket of each of its ids, so a filter by an id reads a bucket. The positions of the ids in their lists are a
 * column beside it, which only readers of whole lists need.
 */
import { isId } from '../../model/ids.ts';
import { firstPosition } from './binary-search.ts';
import type { Bucket } from './buckets.ts';
import type { ColumnPatch, Ordinals } from './column.ts';
import type { ColumnValue } from './dictionary.ts';
import { countIds, idAt } from './ids.ts';

/** What rows without ids have in place of one. Ids of entities are of another version. */
const placeholders = new Map<ColumnValue, string>(
  [undefined, null, ''].map((value, number) => [value, `00000000-0000-0000-0000-00000000000${number}`]),
);
const valueOfPlaceholder = new Map([...placeholders].map(([value, id]) => [id, value]));

/** Returns the ids in buckets of the rows without ids that a filter accepts. */
export const placeholdersOf = (accepts: (value: ColumnValue) => boolean): string[] =>
  [...placeholders].flatMap(([value, id]) => (accepts(value) ? [id] : []));

/** Ids of a list, at most: a position takes a byte. */
const maxIds = 256;

/** Returns the ids of each value, and whether some can only be lists; `undefined` if the values are neither ids nor lists of ids. */
export function idsOfValues(values: readonly ColumnValue[]) {
  const split = (value: ColumnValue): string[] => (value ? value.split(',') : []);
  const isOfIds = (ids: readonly string[]): boolean => ids.length <= maxIds && ids.every(isId);
  if (!values.some(Boolean) || !values.every((value) => isOfIds(split(value)))) return undefined;
  const isOfLists = values.some((value) => value === '' || value?.includes(','));
  const idsOfOther = (value: ColumnValue): string[] =>
    isOfLists ? [placeholders.get(value) as string] : value === null ? [] : [''];
  return { isOfLists, ids: values.map((value) => (value ? split(value) : idsOfOther(value))) };
}

/** Returns the value of an ordinal of a bucket: an id, or what a row has that has none. */
function valueInBucket({ ids }: Bucket, ordinal: number): ColumnValue {
  const id = idAt(ids, ordinal - 1);
  return valueOfPlaceholder.has(id) ? valueOfPlaceholder.get(id) : id;
}

/** Returns the values of the rows `from` up to, but without, `to`. @param positions those of each bucket. */
export function listValues(
  buckets: readonly Bucket[],
  positions: readonly Buffer[],
  { from, to }: { readonly from: number; readonly to: number },
): ColumnValue[] {
  const lists = Array.from({ length: to - from }, (): ColumnValue[] => []);
  for (const [number, bucket] of buckets.entries()) {
    const rowAt = (at: number): number => bucket.rows[at] as number;
    const known: ColumnValue[] = [];
    const first = firstPosition(0, bucket.rows.length, (at) => rowAt(at) >= from);
    for (let at = first; rowAt(at) < to; at += 1) {
      const ordinal = bucket.ordinals[at] as number;
      known[ordinal] ??= valueInBucket(bucket, ordinal);
      const list = lists[rowAt(at) - from] as ColumnValue[];
      list[positions[number]?.[at] as number] = known[ordinal];
    }
  }
  return lists.map((list) => (list[0] ? list.join() : list[0]));
}

/** Some rows, and for each of them the number of its group: rows of a group have equal values. */
export interface RowGroups {
  readonly rows: ArrayLike<number>;
  readonly groups: Ordinals;
  readonly values: { readonly size: number; at(group: number): ColumnValue };
}

/** Returns rows by ids: a row is in the group of each of its ids. @param wanted 1 for each row that is wanted. */
export function groupByIds(buckets: readonly Bucket[], patch: ColumnPatch, wanted: Uint8Array): RowGroups[] {
  const newer = [...patch].filter(([row]) => wanted[row] === 1);
  for (const [row] of newer) wanted[row] = 0;
  const stored = buckets.map((bucket): RowGroups => {
    const rows = bucket.rows.slice();
    const groups = bucket.ordinals.slice();
    let count = 0;
    for (let at = 0; at < groups.length; at += 1) {
      const row = rows[at] as number;
      rows[count] = row;
      groups[count] = groups[at] as number;
      count += wanted[row] as number;
    }
    const values = { size: countIds(bucket.ids) + 1, at: (group: number) => valueInBucket(bucket, group) };
    return { rows: rows.subarray(0, count), groups: groups.subarray(0, count), values };
  });
  const rows = newer.map(([row]) => row);
  const values = { size: rows.length, at: (group: number) => newer[group]?.[1] };
  return [...stored, { rows, groups: Uint32Array.from(rows.keys()), values }];
}
