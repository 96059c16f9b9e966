import { incompatibleFormats } from '#lib/release/compare-formats.ts';

const of = (reads: readonly number[], writes: number) => ({ manifest: { reads, writes } });

test.each([
  ['nothing changes', of([5], 5), of([5], 5)],
  ['the later one also reads the next format', of([5], 5), of([5, 6], 5)],
  ['the later one writes what the earlier one reads', of([5, 6], 5), of([5, 6], 6)],
  ['the later one no longer reads what the earlier one does not write', of([5, 6], 6), of([6], 6)],
  ['the later one has a further item', {}, of([1], 1)],
])('two releases can use one table when %s', (_, earlier, later) => {
  expect(incompatibleFormats(earlier, later)).toEqual([]);
});

test.each([
  [
    'writes what the earlier one cannot read',
    of([5], 5),
    of([5, 6], 6),
    [
      'manifest: it writes format 6, and the release before reads 5. Read it first, and write it one release later.',
    ],
  ],
  [
    'cannot read what the earlier one writes',
    of([5, 6], 5),
    of([6], 6),
    ['manifest: the release before writes format 5, and it reads 6.'],
  ],
  [
    'lacks an item that the earlier one writes',
    of([5], 5),
    {},
    ['manifest: the release before writes format 5, and it reads none.'],
  ],
])('two releases cannot use one table when the later one %s', (_, earlier, later, reasons) => {
  expect(incompatibleFormats(earlier, later)).toEqual(reasons);
});
