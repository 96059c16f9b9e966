import { inOrder, rangeOf } from '../../../../../../../functions/shared/store/lists/counted-index/page.ts';

describe('rangeOf', () => {
  test.each([
    ['the first page, oldest first', 'asc', 0, { from: 0, to: 10 }],
    ['a later page, oldest first', 'asc', 10, { from: 10, to: 20 }],
    ['the last page, oldest first', 'asc', 20, { from: 20, to: 25 }],
    ['the first page, newest first', 'desc', 0, { from: 15, to: 25 }],
    ['a later page, newest first', 'desc', 10, { from: 5, to: 15 }],
    ['the last page, newest first', 'desc', 20, { from: 0, to: 5 }],
  ] as const)('returns the positions of %s', (_, order, skip, range) => {
    expect(rangeOf({ order, skip, limit: 10 }, 25)).toEqual(range);
  });

  test.each(['asc', 'desc'] as const)(
    'returns a range without positions after the last page, in the order %s',
    (order) => {
      for (const skip of [25, 30, 1_000]) {
        const { from, to } = rangeOf({ order, skip, limit: 10 }, 25);
        expect(from).toBeGreaterThanOrEqual(to);
      }
    },
  );

  test.each(['asc', 'desc'] as const)('returns an empty range of an empty list, in the order %s', (order) => {
    expect(rangeOf({ order, skip: 0, limit: 10 }, 0)).toEqual({ from: 0, to: 0 });
  });
});

describe('inOrder', () => {
  const items = [
    { pk: 'acme#task#1', sk: 'entity' },
    { pk: 'acme#task#2', sk: 'entity' },
  ];

  test.each([
    ['up', 'asc'],
    ['down', 'desc'],
  ] as const)('keeps items that were read %s for the order %s', (direction, order) => {
    expect(inOrder(items, direction, order)).toEqual([
      { pk: 'acme#task#1', sk: 'entity' },
      { pk: 'acme#task#2', sk: 'entity' },
    ]);
  });

  test.each([
    ['up', 'desc'],
    ['down', 'asc'],
  ] as const)(
    'reverses items that were read %s for the order %s, and leaves the input as it is',
    (direction, order) => {
      expect(inOrder(items, direction, order)).toEqual([
        { pk: 'acme#task#2', sk: 'entity' },
        { pk: 'acme#task#1', sk: 'entity' },
      ]);
      expect(items.map(({ pk }) => pk)).toEqual(['acme#task#1', 'acme#task#2']);
    },
  );
});
