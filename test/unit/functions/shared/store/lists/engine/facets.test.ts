import fc from 'fast-check';
import { bucketOf } from '../../../../../../../functions/shared/store/lists/engine/buckets.ts';
import {
  addCount,
  countRow,
  decodeFacets,
  encodeFacets,
  type FacetCounts,
  facetKey,
  facetKeyOf,
  mergeFacets,
  sizeOfFacets,
} from '../../../../../../../functions/shared/store/lists/engine/facets.ts';
import {
  emptyManifest,
  type Segment,
} from '../../../../../../../functions/shared/store/lists/engine/manifest.ts';
import type { RowFilter } from '../../../../../../../functions/shared/store/lists/engine/row-filter.ts';
import { anyCharacter } from '../../../../../../support/any-character.ts';

const facets = [['status'], ['projectId'], ['projectId', 'status']];

const filter = (field: string, ...texts: string[]): RowFilter => ({
  field,
  condition: { by: 'texts', texts },
});

const segment = (id: string): Segment => ({
  id,
  first: '',
  last: '',
  rows: 0,
  deleted: 0,
  columns: {},
  buckets: {},
  patched: {},
});

const countsOf = (entries: readonly (readonly [key: string, segmentId: string, count: number])[]) => {
  const counts: FacetCounts = new Map();
  for (const [key, segmentId, count] of entries) addCount(counts, key, segmentId, count);
  return counts;
};

describe('facetKey', () => {
  test('names each field with its value', () => {
    expect(facetKey(['projectId', 'status'], { status: 'done', projectId: 'p1', name: 'x' })).toBe(
      'projectId=p1&status=done',
    );
  });

  test('is undefined when a value is null or absent', () => {
    expect(facetKey(['projectId'], { projectId: null })).toBeUndefined();
    expect(facetKey(['projectId', 'status'], { projectId: 'p1' })).toBeUndefined();
  });
});

describe('facetKeyOf', () => {
  test('is the key of the facet that has exactly the fields of the filters, in any order', () => {
    expect(facetKeyOf(facets, [filter('status', 'done')])).toBe('status=done');
    expect(facetKeyOf(facets, [filter('status', 'done'), filter('projectId', 'p1')])).toBe(
      'projectId=p1&status=done',
    );
  });

  test.each([
    ['there is a filter that no facet has', [filter('status', 'done'), filter('name', 'x')]],
    ['a filter accepts more than one text', [filter('status', 'done', 'open')]],
    ['a filter accepts all texts but one', [{ ...filter('status', 'done'), isNegated: true }]],
    [
      'a filter compares',
      [{ field: 'status', condition: { by: 'range', from: 'done', to: 'done' } } satisfies RowFilter],
    ],
    ['two filters have the same field', [filter('projectId', 'p1'), filter('projectId', 'p2')]],
    ['nothing is counted', [filter('userId', 'u1')]],
    ['rows with null match', [{ ...filter('status', 'done'), acceptsNull: true }]],
    ['rows that are older than the field match', [{ ...filter('status', 'done'), defaultValue: 'done' }]],
  ])('is undefined when %s', (_, filters) => {
    expect(facetKeyOf(facets, filters)).toBeUndefined();
  });
});

test('countRow counts a row for each facet whose values it has', () => {
  const counts: FacetCounts = new Map();
  const row = { segmentId: 's1', values: { status: 'done', projectId: 'p1' } };
  countRow(counts, facets, { ...row, count: 1 });
  countRow(counts, facets, { ...row, count: 1 });
  countRow(counts, facets, { segmentId: 's2', values: { status: 'done', projectId: null }, count: -1 });
  expect(counts).toEqual(
    new Map([
      [
        'status=done',
        new Map([
          ['s1', 2],
          ['s2', -1],
        ]),
      ],
      ['projectId=p1', new Map([['s1', 2]])],
      ['projectId=p1&status=done', new Map([['s1', 2]])],
    ]),
  );
});

test('mergeFacets adds numbers, and leaves out zeros and segments that do not exist', () => {
  const merged = mergeFacets(
    [
      countsOf([
        ['a', 's1', 3],
        ['a', 's2', 1],
        ['b', 's1', 1],
        ['c', 'gone', 5],
      ]),
      countsOf([
        ['a', 's1', -1],
        ['b', 's1', -1],
      ]),
    ],
    [segment('s1'), segment('s2'), ...emptyManifest.segments],
  );
  expect(merged).toEqual(
    countsOf([
      ['a', 's1', 2],
      ['a', 's2', 1],
    ]),
  );
  expect(sizeOfFacets(merged)).toBe(2);
});

const anyCounts = fc
  .array(
    fc.tuple(
      fc.string({ maxLength: 60, unit: anyCharacter }),
      fc.constantFrom('s1', 's2', 's3'),
      fc.integer({ min: -9, max: 99 }),
    ),
    { maxLength: 200 },
  )
  .map(countsOf);

test('each key is in the item of its bucket, and all items together have all numbers', () => {
  fc.assert(
    fc.property(anyCounts, fc.constantFrom(50, 300, 100_000), (counts, itemBytes) => {
      const items = encodeFacets(counts, itemBytes).map(decodeFacets);
      const all: FacetCounts = new Map();
      for (const [bucket, item] of items.entries()) {
        for (const [key, bySegment] of item) {
          expect(bucketOf(key, items.length)).toBe(bucket);
          all.set(key, bySegment);
        }
      }
      expect(all).toEqual(counts);
    }),
  );
});

test('items of 10,000 statuses in 40 segments stay below 64 KB', () => {
  const counts: FacetCounts = new Map();
  for (let status = 0; status < 10_000; status += 1) {
    for (let number = 0; number < 40; number += 1) {
      addCount(counts, `status=status-${status}`, `s${number}`, ((status * 7 + number * 13) % 97) + 1);
    }
  }
  const items = encodeFacets(counts, 3_000);
  expect(items.length).toBeGreaterThan(10);
  expect(Math.max(...items.map(({ length }) => length))).toBeLessThan(64 * 1_024);
});
