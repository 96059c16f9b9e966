import fc from 'fast-check';
import {
  allIds,
  complementRanges,
  intersectRanges,
  isInRanges,
  rangeOfId,
  rangesBetween,
  unionRanges,
} from '#functions/store/lists/engine/read/id-ranges.ts';

const range = (from: string, to: string) => ({ from, to });

describe('unionRanges', () => {
  test('sorts ranges, and merges those that overlap or touch', () => {
    expect(unionRanges([range('5', '6'), range('1', '2'), range('2', '3'), range('51', '7')])).toEqual([
      range('1', '3'),
      range('5', '7'),
    ]);
    expect(unionRanges([range('1', '5'), range('2', '3')])).toEqual([range('1', '5')]);
  });

  test('leaves out empty ranges, and what is outside of all ids', () => {
    expect(unionRanges([range('2', '2'), range('3', '2'), range('', ''), range('zz', 'zzz')])).toEqual([]);
    expect(unionRanges([range('', '2'), range('f', 'zz')])).toEqual([
      range(allIds.from, '2'),
      range('f', allIds.to),
    ]);
  });
});

test('complementRanges returns the gaps', () => {
  expect(complementRanges([])).toEqual([allIds]);
  expect(complementRanges([allIds])).toEqual([]);
  expect(complementRanges([range('1', '2'), range('5', '6')])).toEqual([
    range(allIds.from, '1'),
    range('2', '5'),
    range('6', allIds.to),
  ]);
  expect(complementRanges([range(allIds.from, '1')])).toEqual([range('1', allIds.to)]);
});

test('intersectRanges returns what both sets have', () => {
  const set = [range('1', '4'), range('6', '8')];
  expect(intersectRanges(set, [range('2', '7')])).toEqual([range('2', '4'), range('6', '7')]);
  expect(intersectRanges(set, [range('4', '6')])).toEqual([]);
  expect(intersectRanges(set, [])).toEqual([]);
  expect(intersectRanges([allIds], set)).toEqual(set);
});

test('rangesBetween returns the part of a set between two ids', () => {
  expect(rangesBetween([range('1', '4'), range('6', '8')], '3', '7')).toEqual([
    range('3', '4'),
    range('6', '7'),
  ]);
  expect(rangesBetween([allIds], '7', '3')).toEqual([]);
});

test('rangeOfId contains only the id', () => {
  const set = [rangeOfId('5a')];
  expect(['5a', '5', '5a0', '59', '5b'].map((id) => isInRanges(set, id))).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('without a set, every id is in it', () => {
  expect(isInRanges(undefined, '5')).toBe(true);
  expect(isInRanges([], '5')).toBe(false);
});

const texts = Array.from({ length: 16 }, (_, number) => number.toString(16));
const anyRange = fc.tuple(fc.constantFrom(...texts), fc.constantFrom(...texts, 'g'));
const ranges = fc.array(
  anyRange.map(([from, to]) => range(from, to)),
  { maxLength: 5 },
);

test('sets have the ids that their ranges have, in ascending ranges that do not touch', () => {
  fc.assert(
    fc.property(ranges, ranges, (one, other) => {
      const [first, second] = [unionRanges(one), unionRanges(other)];
      const isIn = (all: typeof one, id: string) => all.some(({ from, to }) => id >= from && id < to);
      for (const id of texts) {
        expect(isInRanges(first, id)).toBe(isIn(one, id));
        expect(isInRanges(complementRanges(first), id)).toBe(!isIn(one, id));
        expect(isInRanges(intersectRanges(first, second), id)).toBe(isIn(one, id) && isIn(other, id));
      }
      for (const set of [first, complementRanges(first), intersectRanges(first, second)]) {
        const ends = set.flatMap(({ from, to }) => [from, to]);
        expect(ends).toEqual([...new Set(ends)].sort());
      }
    }),
  );
});
