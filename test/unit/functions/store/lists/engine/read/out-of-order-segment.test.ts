import { encodeIds, idAt } from '#functions/store/lists/engine/format/ids.ts';
import {
  describeSegment,
  divideAmongSegments,
  toSmallSegment,
} from '#functions/store/lists/engine/read/out-of-order-segment.ts';
import { idOf } from '#test/support/log-builder.ts';
import { makeSegment } from '#test/support/segments.ts';

test('returns out-of-order rows in the order of their ids, with their versions', () => {
  const rowOf = (number: number, to: number, name: string) =>
    [
      idOf(number),
      { id: idOf(number), from: 0, to, previousStamp: 0, before: undefined, after: { name } },
    ] as const;
  const { ids, columns } = toSmallSegment(new Map([rowOf(9, 3, 'Late'), rowOf(4, 1, 'Early')]));
  expect([idAt(ids, 0), idAt(ids, 1)]).toEqual([idOf(4), idOf(9)]);
  expect(
    [...columns].map(([field, { dictionary, ordinals }]) => [field, dictionary.at(ordinals[0] ?? 0)]),
  ).toEqual([
    ['name', 'Early'],
    ['$version', '1'],
  ]);
  expect(describeSegment('waiting', { ids, columns })).toMatchObject({
    first: idOf(4),
    last: idOf(9),
    rows: 2,
  });
});

test('describes no segment when all rows are gone', () => {
  expect(describeSegment('waiting', toSmallSegment(new Map()))).toBeUndefined();
});

describe('the positions of the segments among whose ids out-of-order rows are', () => {
  const segments = [
    makeSegment({ first: idOf(20), last: idOf(38) }),
    makeSegment({ first: idOf(40), last: idOf(58) }),
  ];
  const ids = encodeIds([10, 30, 39, 50, 70, 72].map(idOf));

  test('before the first one, between two, and behind the last one', () => {
    expect([...divideAmongSegments(segments, ids, Uint32Array.of(0, 1, 2, 3, 4, 5))]).toEqual([
      [0, Uint32Array.of(0, 1, 2)],
      [1, Uint32Array.of(3)],
      [2, Uint32Array.of(4, 5)],
    ]);
  });

  test('of some of the rows', () => {
    expect([...divideAmongSegments(segments, ids, Uint32Array.of(3, 5))]).toEqual([
      [1, Uint32Array.of(3)],
      [2, Uint32Array.of(5)],
    ]);
  });

  test('without segments', () => {
    expect([...divideAmongSegments([], ids, Uint32Array.of(1))]).toEqual([[0, Uint32Array.of(1)]]);
  });
});
