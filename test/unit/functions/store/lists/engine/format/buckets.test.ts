import fc from 'fast-check';
import {
  bucketOf,
  bytesOfBucket,
  columnOfTexts,
  decodeBucket,
  divideIntoBuckets,
  encodeBuckets,
  encodeColumnItems,
  joinBuckets,
} from '#functions/store/lists/engine/format/buckets.ts';
import { buildColumn, columnValues, encodeColumn } from '#functions/store/lists/engine/format/column.ts';
import type { ColumnValue } from '#functions/store/lists/engine/format/dictionary.ts';
import { filterNames } from '#functions/store/lists/engine/read/column-reader.ts';
import { isText, type RowFilter } from '#functions/store/lists/engine/read/row-filter.ts';
import { Random } from '#test/simulation/random.ts';
import { makeSegment } from '#test/support/segments.ts';

/** Ids of which some share all bytes but the last one. */
const ids = [
  '01890000-0000-7000-8000-000000000001',
  '01890000-0000-7000-8000-000000000002',
  '01890000-0000-7000-8000-0000000000ff',
  '018a0000-0000-7000-8000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
];

const value: fc.Arbitrary<ColumnValue> = fc.oneof(
  fc.constantFrom(...ids),
  fc.uuid(),
  fc.constantFrom(null, undefined),
);

const values = fc.array(value, { maxLength: 60 });

const bucketCount = fc.integer({ min: 1, max: 7 });

const bucketsOf = (rows: readonly ColumnValue[], count: number) =>
  encodeBuckets(buildColumn(rows), count).map(decodeBucket);

const idOf = (number: number): string =>
  `01890000-0000-7000-8000-${((number * 2_654_435_761) % 2 ** 32).toString(16).padStart(12, '0')}`;

describe('the buckets of a column of ids', () => {
  test.each<[string, ColumnValue[]]>([
    ['no rows', []],
    ['nulls only', [null, null]],
    ['absent values only', [undefined]],
    ['ids only', ids],
    ['one id in all rows', Array(300).fill(ids[3])],
    ['more ids than one byte can number', Array.from({ length: 2_000 }, (_, row) => idOf(row % 700))],
  ])('have the values of %s', (_, rows) => {
    expect(columnValues(joinBuckets(bucketsOf(rows, 2), rows.length))).toEqual(rows);
  });

  test('have the values of any ids', () => {
    fc.assert(
      fc.property(values, bucketCount, (rows, count) => {
        expect(joinBuckets(bucketsOf(rows, count), rows.length)).toEqual(buildColumn(rows));
      }),
    );
  });

  test('have each id in one of them, which its hash tells', () => {
    const buckets = bucketsOf(ids, 3);
    for (const [position, bucket] of buckets.entries()) {
      const own = ids.filter((id) => bucketOf(id, 3) === position);
      expect(columnValues(joinBuckets([bucket], 5)).filter((one) => one !== null)).toEqual(own);
    }
  });

  test('take memory for their ids and rows', () => {
    const [small, large] = [10, 1_000].map((rows) =>
      decodeBucket(encodeBuckets(buildColumn(Array(rows).fill(ids[0])), 1)[0] as Buffer),
    );
    expect(bytesOfBucket(large as never) - bytesOfBucket(small as never)).toBe(990 * 5);
  });
});

describe('columnOfTexts', () => {
  /** Returns the column of texts, of a column with some values in two buckets. */
  function columnOf(
    values: readonly ColumnValue[],
    texts: readonly string[],
    count = 2,
    patch = new Map<number, ColumnValue>(),
  ) {
    const wanted = new Set(texts.map((text) => bucketOf(text, count)));
    const buckets = bucketsOf(values, count).filter((_, bucket) => wanted.has(bucket));
    return columnValues(columnOfTexts(buckets, { texts, rows: values.length, patch }));
  }

  const someTexts = fc.array(fc.oneof(fc.constantFrom(...ids, 'x', ''), fc.uuid()), { maxLength: 4 });

  test('returns the rows that have one of some texts, and is absent elsewhere', () => {
    fc.assert(
      fc.property(values, bucketCount, someTexts, (rows, count, texts) => {
        const expected = rows.map((one) => (texts.includes(one ?? 'none') ? one : undefined));
        expect(columnOf(rows, texts, count)).toEqual(expected);
      }),
    );
  });

  test('returns the values of a patch instead of older ones', () => {
    const patch = new Map<number, ColumnValue>([
      [0, ids[2]],
      [1, ids[1]],
      [2, null],
      [5, ids[3]],
    ]);
    const rows = [ids[1], ids[0], ids[1], ids[1], null, ids[3], ids[1]];
    expect(columnOf(rows, [ids[1] as string, ids[3] as string], 2, patch)).toEqual([
      undefined,
      ids[1],
      undefined,
      ids[1],
      undefined,
      ids[3],
      ids[1],
    ]);
  });

  test('of a text that is no id has only the rows of a patch', () => {
    const none = Array(4).fill(undefined);
    expect(columnOf(ids, ['x'], 2, new Map([[1, 'x']]))).toEqual([
      undefined,
      'x',
      undefined,
      undefined,
      undefined,
    ]);
    expect(columnOf(ids, ['x'])).toEqual([...none, undefined]);
  });

  test('numbers more texts than one byte can', () => {
    const texts = Array.from({ length: 300 }, (_, number) => idOf(number));
    expect(columnOf(texts, texts)).toEqual(texts);
  });
});

describe('divideIntoBuckets', () => {
  /** Returns the lengths of the items, if the buckets have some bytes together. */
  const divided = (whole: number, together: number): number[] =>
    divideIntoBuckets(Buffer.alloc(whole), 100, (count) =>
      Array.from({ length: count }, () => Buffer.alloc(together / count)),
    ).map(({ length }) => length);

  test('returns the item if it is small', () => {
    expect(divided(100, 120)).toEqual([100]);
  });

  test('returns as many buckets as have the wanted bytes on average', () => {
    expect(divided(290, 390)).toEqual([97, 97, 97, 97]);
    expect(divided(290, 300)).toEqual([100, 100, 100]);
  });

  test('returns several buckets even if they have fewer bytes than one may have', () => {
    expect(divided(101, 90)).toEqual([45, 45]);
  });
});

describe('the items of a column', () => {
  const random = new Random(1);
  const rows = Array.from({ length: 4_000 }, () => idOf(random.below(300)));

  test('are one if it is small', () => {
    expect(encodeColumnItems(buildColumn(ids), 1_000)).toEqual([encodeColumn(buildColumn(ids))]);
  });

  test('are one if it has other texts than ids, however large it is', () => {
    const column = buildColumn([...rows, 'x']);
    expect(encodeColumnItems(column, 1_000)).toEqual([encodeColumn(column)]);
  });

  test('are buckets of about the wanted size if it is a large column of ids', () => {
    const column = buildColumn([...rows, null, undefined]);
    const items = encodeColumnItems(column, 1_000);
    expect(items.length).toBeGreaterThan(4);
    for (const { length } of items) {
      expect(length).toBeGreaterThan(500);
      expect(length).toBeLessThan(1_600);
    }
    expect(joinBuckets(items.map(decodeBucket), 4_002)).toEqual(column);
  });
});

describe('filterNames', () => {
  const segment = makeSegment({
    columns: { projectId: '2-bbbbbb', name: '1-aaaaaa' },
    buckets: { projectId: 3 },
  });
  const all = [0, 1, 2].map((bucket) => `1-aaaaaa.0/2-bbbbbb/projectId.${bucket}`);
  const [text = ''] = ids;
  const isOneOf = (...texts: string[]): RowFilter => ({
    field: 'projectId',
    condition: { by: 'texts', texts },
  });

  test('returns the buckets of the only texts that match', () => {
    const [other = ''] = ids.filter((id) => bucketOf(id, 3) !== bucketOf(text, 3));
    expect(filterNames(segment, isText('projectId', text))).toEqual([all[bucketOf(text, 3)]]);
    const both = all.filter((_, bucket) => [text, other].some((one) => bucketOf(one, 3) === bucket));
    expect(filterNames(segment, isOneOf(other, text, other))).toEqual(both);
  });

  test.each<[string, RowFilter]>([
    ['texts of all buckets', isOneOf(...Array.from({ length: 40 }, (_, number) => idOf(number)))],
    ['other texts', { ...isOneOf(text), isNegated: true }],
    ['null', { ...isOneOf(text), acceptsNull: true }],
    ['absent values', { ...isOneOf(text), defaultValue: text }],
    ['a range of texts', { field: 'projectId', condition: { by: 'range', from: text, to: undefined } }],
  ])('returns all buckets for a filter that accepts %s', (_, filter) => {
    expect(filterNames(segment, filter)).toEqual(all);
  });

  test('returns the only item of another column, and none of a field without a column', () => {
    expect(filterNames(segment, isText('name', text))).toEqual(['1-aaaaaa.0/1-aaaaaa/name']);
    expect(filterNames(segment, isText('color', text))).toEqual([]);
  });
});
