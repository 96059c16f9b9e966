import { hash } from 'node:crypto';
import type { Filter } from '../model/list-query.ts';
import type { Kind } from '../model/schema.ts';

/** Bytes of a hash. Two queries of one caller do not have the same one by chance. */
export const queryHashBytes = 8;

/**
 * Returns a hash of what a cursor continues. The order of filters, and of the values of a filter, does not matter.
 * @param more what the cursor depends on besides the collection and the filters.
 */
export function queryHash(kind: Kind, filters: readonly Filter[], more: unknown): Buffer {
  const conditions = filters.map(({ field, operator, values }) =>
    JSON.stringify([field, operator, values.toSorted()]),
  );
  const content = JSON.stringify([kind, [...new Set(conditions)].sort(), more]);
  return hash('sha256', content, 'buffer').subarray(0, queryHashBytes);
}

/** Returns whether a cursor belongs to the query with a hash, which follows its first byte. */
export const hasQueryHash = (cursor: Uint8Array, queryHash: Buffer): boolean =>
  queryHash.equals(cursor.subarray(1, 1 + queryHashBytes));
