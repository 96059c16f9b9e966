/**
 * Facets: how many rows of each segment have certain values. A list in the order of creation that filters by these values needs the columns
 * of no segment but those that contain its page.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Value } from '../../model/row.ts';
import { bucketOf, divideIntoBuckets } from './buckets.ts';
import type { FacetFields, Segment } from './manifest.ts';
import { onlyText, type RowFilter } from './row-filter.ts';

/** Row counts by the key of the values and by the id of the segment. A count of a later facet run is added to those of earlier ones. */
export type FacetCounts = Map<string, Map<string, number>>;

type Values = Readonly<Record<string, Value | undefined>>;

/** Returns the key of a row's values; `undefined` when one is null or absent: then the row is not counted. */
export function facetKey(fields: FacetFields, values: Values): string | undefined {
  const parts: string[] = [];
  for (const field of fields) {
    const value = values[field];
    if (typeof value !== 'string') return undefined;
    parts.push(`${field}=${value}`);
  }
  return parts.join('&');
}

/** Returns the key of the rows that match filters; `undefined` when no facet counts them. */
export function facetKeyOf(
  facets: readonly FacetFields[],
  filters: readonly RowFilter[],
): string | undefined {
  const values = Object.fromEntries(filters.map((filter) => [filter.field, onlyText(filter)]));
  const fields = facets.find((facet) => {
    return facet.length === filters.length && facet.every((field) => Object.hasOwn(values, field));
  });
  return fields && facetKey(fields, values);
}

/** Adds to the count of a key and a segment. */
export function addCount(counts: FacetCounts, key: string, segmentId: string, count: number): void {
  const bySegment = counts.get(key) ?? new Map<string, number>();
  counts.set(key, bySegment);
  bySegment.set(segmentId, (bySegment.get(segmentId) ?? 0) + count);
}

/** Adds a row to the counts of all facets, or subtracts it. */
export function countRow(
  counts: FacetCounts,
  facets: readonly FacetFields[],
  {
    segmentId,
    values,
    count,
  }: { readonly segmentId: string; readonly values: Values; readonly count: 1 | -1 },
): void {
  for (const fields of facets) {
    const key = facetKey(fields, values);
    if (key !== undefined) addCount(counts, key, segmentId, count);
  }
}

/** Removes zeros. */
function withoutZeros(counts: FacetCounts): FacetCounts {
  for (const [key, bySegment] of counts) {
    for (const [id, count] of bySegment) if (count === 0) bySegment.delete(id);
    if (bySegment.size === 0) counts.delete(key);
  }
  return counts;
}

/** Returns the sums of counts, without zeros and without segments that do not exist any more. */
export function mergeFacets(all: readonly FacetCounts[], segments: readonly Segment[]): FacetCounts {
  const live = new Set(segments.map(({ id }) => id));
  const sums: FacetCounts = new Map();
  for (const counts of all) {
    for (const [key, bySegment] of counts) {
      for (const [id, count] of bySegment) if (live.has(id)) addCount(sums, key, id, count);
    }
  }
  return withoutZeros(sums);
}

/** Returns how many counts there are. */
export function sizeOfFacets(counts: FacetCounts): number {
  let size = 0;
  for (const bySegment of counts.values()) size += bySegment.size;
  return size;
}

/** The ids of segments, and for each key pairs: the position of a segment among them, and its count. */
type StoredFacets = [segmentIds: string[], counts: [key: string, ...numbers: number[]][]];

function encodeBucket(counts: Iterable<readonly [string, ReadonlyMap<string, number>]>): Buffer {
  const positions = new Map<string, number>();
  const stored: StoredFacets[1] = [];
  for (const [key, bySegment] of counts) {
    const numbers: number[] = [];
    for (const [id, count] of bySegment) {
      const position = positions.get(id) ?? positions.size;
      positions.set(id, position);
      numbers.push(position, count);
    }
    stored.push([key, ...numbers]);
  }
  return deflateRawSync(JSON.stringify([[...positions.keys()], stored] satisfies StoredFacets));
}

/** Encodes counts as one item or as buckets. @param bucketBytes bytes of a bucket, on average. */
export function encodeFacets(counts: FacetCounts, bucketBytes: number): Buffer[] {
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  return divideIntoBuckets(encodeBucket(sorted), bucketBytes, (count) => {
    const byBucket = Array.from({ length: count }, (): (typeof sorted)[number][] => []);
    for (const entry of sorted) byBucket[bucketOf(entry[0], count)]?.push(entry);
    return byBucket.map(encodeBucket);
  });
}

/** Decodes one item that `encodeFacets` returns. */
export function decodeFacets(encoded: Uint8Array): FacetCounts {
  const [segmentIds, stored] = JSON.parse(inflateRawSync(encoded).toString()) as StoredFacets;
  const counts: FacetCounts = new Map();
  for (const [key, ...numbers] of stored) {
    const bySegment = new Map<string, number>();
    for (let place = 0; place < numbers.length; place += 2) {
      bySegment.set(segmentIds[numbers[place] as number] as string, numbers[place + 1] as number);
    }
    counts.set(key, bySegment);
  }
  return counts;
}
