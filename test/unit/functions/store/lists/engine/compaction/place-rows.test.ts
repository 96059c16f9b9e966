import fc from 'fast-check';
import { countOutOfOrder, placeRows } from '#functions/store/lists/engine/compaction/place-rows.ts';
import type { SegmentRow } from '#functions/store/lists/engine/compaction/row-block.ts';
import { defaultSizes } from '#functions/store/lists/engine/compaction/sizes.ts';
import type { Segment } from '#functions/store/lists/engine/format/manifest.ts';
import { idOf } from '#test/support/log-builder.ts';
import { makeSegment } from '#test/support/segments.ts';

const maxRows = 100;
const sizes = { ...defaultSizes, maxRows, maxChanges: 200 };

/** Ids from this one on are young in tests. */
const youngId = idOf(10_000);

const segmentFrom = (first: number, last: number, rows: number, deleted = 0): Segment =>
  makeSegment({ id: `1-aaaaaa.${first}`, first: idOf(first), last: idOf(last), rows, deleted });

const insertsOf = (...numbers: readonly number[]): SegmentRow[] =>
  numbers.map((number) => ({ id: idOf(number), version: 1, values: {} }));

const place = (segments: readonly Segment[], ...numbers: readonly number[]) =>
  placeRows(segments, insertsOf(...numbers), youngId, sizes);

/** What is expected of rows of which none waits. */
const placed = (from: number, ...numbers: readonly number[]) => ({
  from,
  inserts: insertsOf(...numbers),
  outOfOrder: [],
});

test('nothing is written again without new rows', () => {
  expect(place([])).toEqual(placed(0));
  expect(place([segmentFrom(1, 50, 50), segmentFrom(51, 60, 5)])).toEqual(placed(2));
});

test('the first rows become a segment of their own', () => {
  expect(place([], 1, 2)).toEqual(placed(0, 1, 2));
});

describe('new rows', () => {
  test('become a segment of their own after larger ones', () => {
    expect(place([segmentFrom(1, 50, 50)], 51, 52)).toEqual(placed(1, 51, 52));
  });

  test('are merged with the last segments that have at most as many rows as all after them', () => {
    const segments = [segmentFrom(1, 50, 50), segmentFrom(51, 54, 4), segmentFrom(55, 56, 2)];
    expect(place(segments, 57, 58)).toEqual(placed(1, 57, 58));
  });

  test('are merged with a segment that they fill', () => {
    const numbers = Array.from({ length: 95 }, (_, number) => 100 + number);
    expect(place([segmentFrom(1, 89, 89)], ...numbers)).toEqual(placed(0, ...numbers));
  });

  test('are not merged with a segment that is nine tenths full', () => {
    const numbers = Array.from({ length: 95 }, (_, number) => 100 + number);
    expect(place([segmentFrom(1, 90, 90)], ...numbers)).toEqual(placed(1, ...numbers));
  });

  test('are not merged with segments that make the step too large', () => {
    const segments = [segmentFrom(1, 85, 85), segmentFrom(86, 160, 70)];
    const numbers = Array.from({ length: 75 }, (_, number) => 200 + number);
    expect(place(segments, ...numbers)).toEqual(placed(1, ...numbers));
  });

  test('are not merged with a segment whose columns are nearly full, or would be', () => {
    const numbers = [100, 101];
    const bytes = sizes.maxColumnBytes;
    const alone = placed(1, ...numbers);
    expect(place([{ ...segmentFrom(1, 2, 2), bytes: 0.76 * bytes }], ...numbers)).toEqual(alone);
    expect(place([{ ...segmentFrom(1, 2, 2), bytes: 0.74 * bytes }], ...numbers)).toMatchObject({ from: 0 });
    const inserts = insertsOf(...numbers).map((row) => ({
      ...row,
      values: { name: 'a'.repeat(0.1 * bytes) },
    }));
    const large = [{ ...segmentFrom(1, 2, 2), bytes: 0.6 * bytes }];
    expect(placeRows(large, inserts, youngId, sizes)).toEqual({ from: 1, inserts, outOfOrder: [] });
  });

  test('are merged with a larger segment that has greater ids', () => {
    const segments = [segmentFrom(1, 85, 85), segmentFrom(10_000, 10_080, 80)];
    expect(place(segments, 10_040)).toEqual(placed(1, 10_040));
  });

  test('do not count deleted rows of a segment', () => {
    const segments = [segmentFrom(1, 50, 10, 8)];
    expect(place(segments, 51, 52)).toEqual(placed(0, 51, 52));
  });
});

describe('a row that comes out of order', () => {
  const segments = [segmentFrom(1, 50, 40), segmentFrom(60, 90, 30), segmentFrom(100, 190, 80)];

  test('waits when its segment is not written again', () => {
    expect(place(segments, 0, 55, 70)).toEqual({ from: 3, inserts: [], outOfOrder: insertsOf(0, 55, 70) });
  });

  test('waits beside new rows after its segment', () => {
    expect(place(segments, 70, 200)).toEqual({
      from: 3,
      inserts: insertsOf(200),
      outOfOrder: insertsOf(70),
    });
  });

  test('is counted with the segment whose ids it is among, or with the first one', () => {
    const counted = countOutOfOrder(
      [{ ...(segments[0] as Segment), outOfOrder: 7 }, ...segments.slice(1)],
      [...insertsOf(0, 55, 70)],
    );
    expect(counted.map(({ outOfOrder }) => outOfOrder)).toEqual([2, 1, undefined]);
  });

  test('is written together with new rows when its segment is merged with them', () => {
    const small = [segmentFrom(1, 50, 40), segmentFrom(60, 70, 2)];
    expect(place(small, 65, 80, 90)).toEqual(placed(1, 65, 80, 90));
  });
});

describe('any rows and segments', () => {
  /** Segments with disjoint ids, and rows that they do not have. */
  const situation = fc
    .record({
      rowCounts: fc.array(fc.integer({ min: 1, max: maxRows }), { maxLength: 8 }),
      isYoung: fc.boolean(),
      deletedShare: fc.double({ min: 0, max: 1, noNaN: true }),
      inserted: fc.uniqueArray(fc.nat({ max: 1_999 }), { maxLength: 30 }),
    })
    .map(({ rowCounts, isYoung, deletedShare, inserted }) => {
      const base = isYoung ? 9_000 : 0;
      const segments = rowCounts.map((rows, position) =>
        segmentFrom(
          base + 400 * position + 2,
          base + 400 * position + 2 + 2 * rows,
          rows,
          Math.floor(rows * deletedShare * (position % 2)),
        ),
      );
      const numbers = inserted.map((number) => base + 2 * number + 1).toSorted((one, other) => one - other);
      return { segments, numbers };
    });

  test('are placed once, and leave all segments in the order of ids', () => {
    fc.assert(
      fc.property(situation, ({ segments, numbers }) => {
        const { from, inserts, outOfOrder } = place(segments, ...numbers);
        expect([...inserts, ...outOfOrder].map(({ id }) => id).toSorted()).toEqual(
          insertsOf(...numbers).map(({ id }) => id),
        );
        const lastKept = segments[from - 1]?.last ?? '';
        for (const { id } of inserts) expect(id > lastKept).toBe(true);
        for (const { id } of outOfOrder) expect(id < (segments[from]?.first ?? youngId)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
