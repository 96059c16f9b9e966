import fc from 'fast-check';
import {
  compareText,
  FirstRows,
  type Row,
} from '../../../../../../functions/shared/store/lists/first-rows.ts';
import { PageTooDeep } from '../../../../../../functions/shared/store/model/errors.ts';

/** The rows that a sorted list keeps in memory: the correct ones, within the memory limit. */

const rowOf = (sort: string | number | undefined, place: number): Row => ({
  id: String(place).padStart(8, '0'),
  sort,
});

const maxBytes = 20_000;

const query = (page: number, limit: number, sortOrder: 'asc' | 'desc' = 'asc') => ({
  page,
  limit,
  sortBy: 'name',
  sortOrder,
});

test('stays below its limit for any number of rows and any length of texts', () => {
  const rows = new FirstRows(query(1_000_000, 100), maxBytes);
  for (let place = 0; place < 20_000; place += 1) {
    rows.add([rowOf('\u{1F600}'.repeat(place % 300), place)]);
    expect(rows.bytes).toBeLessThanOrEqual(maxBytes + 2_000);
  }
  expect(rows.total).toBe(20_000);
});

test('a page past the end is empty and has the correct total, also after rows were dropped', () => {
  const rows = new FirstRows(query(1_000, 100), maxBytes);
  rows.add(Array.from({ length: 5_000 }, (_, place) => rowOf('x', place)));
  expect([rows.pageIds(), rows.total]).toEqual([[], 5_000]);
});

test('a page whose rows were dropped throws PageTooDeep', () => {
  const rows = new FirstRows(query(40, 100), maxBytes);
  rows.add(Array.from({ length: 5_000 }, (_, place) => rowOf('x', place)));
  expect(() => rows.pageIds()).toThrow(PageTooDeep);
});

test('every other page equals the page of the fully sorted rows', () => {
  const sorts = fc.oneof(fc.string({ maxLength: 40 }), fc.constant(undefined));
  fc.assert(
    fc.property(
      fc.array(sorts, { maxLength: 300 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 60 }),
      fc.constantFrom('asc' as const, 'desc' as const),
      (values, page, limit, sortOrder) => {
        const all = values.map(rowOf);
        const rows = new FirstRows(query(page, limit, sortOrder), maxBytes);
        rows.add(all);
        const direction = sortOrder === 'asc' ? 1 : -1;
        const text = (row: Row): string => (row.sort === undefined ? '' : `x${row.sort}`);
        const expected = all
          .toSorted(
            (one, other) => direction * (compareText(text(one), text(other)) || (one.id < other.id ? -1 : 1)),
          )
          .slice((page - 1) * limit, page * limit)
          .map(({ id }) => id);
        try {
          expect(rows.pageIds()).toEqual(expected);
        } catch (error) {
          if (!(error instanceof PageTooDeep)) throw error;
          expect(page * limit).toBeGreaterThan(error.reach);
        }
      },
    ),
    { numRuns: 500 },
  );
});
