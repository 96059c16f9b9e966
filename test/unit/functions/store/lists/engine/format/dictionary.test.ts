import fc from 'fast-check';
import {
  buildDictionary,
  type ColumnValue,
  type Dictionary,
} from '#functions/store/lists/engine/format/dictionary.ts';
import { anyCharacter } from '#test/support/any-character.ts';

/** Texts that can be written as UTF-8: the API accepts no others. */
const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 6 }).filter((value) => value.isWellFormed()),
  fc.string({ unit: fc.constantFrom('a', 'b', '\u0000', 'é', '\uFFFD', '\u{1F600}'), maxLength: 3 }),
);

const value: fc.Arbitrary<ColumnValue> = fc.oneof(
  { arbitrary: text, weight: 8 },
  fc.constantFrom(null, undefined),
);

const values = fc.array(value, { maxLength: 30 });

const compareCodePoints = (one: string, other: string): number => {
  const [left, right] = [[...one], [...other]].map((characters) =>
    characters.map((character) => character.codePointAt(0) as number),
  ) as [number[], number[]];
  const place = left.findIndex((point, position) => point !== right[position]);
  if (place < 0 || place >= right.length) return left.length - right.length;
  return (left[place] as number) - (right[place] as number);
};

/** The distinct values in the order of a dictionary: absent, null, then texts by code point. */
const inOrder = (all: readonly ColumnValue[]): ColumnValue[] => [
  ...[undefined, null].filter((special) => all.includes(special)),
  ...[...new Set(all.filter((one) => typeof one === 'string'))].sort(compareCodePoints),
];

const contents = (dictionary: Dictionary): ColumnValue[] =>
  Array.from({ length: dictionary.size }, (_, ordinal) => dictionary.at(ordinal));

describe('a dictionary', () => {
  test('has the distinct values: absent, null, then texts by code point', () => {
    const dictionary = buildDictionary(['b', null, '\u{1F600}', '', 'b', undefined, '\uFFFD', 'a']);
    expect(contents(dictionary)).toEqual([undefined, null, '', 'a', 'b', '\uFFFD', '\u{1F600}']);
    expect(dictionary.special).toEqual([undefined, null]);
  });

  test('of no values is empty', () => {
    const dictionary = buildDictionary([]);
    expect(dictionary.size).toBe(0);
    expect(dictionary.ordinalOf('a')).toBe(-1);
    expect(dictionary.ordinalOf(null)).toBe(-1);
  });

  test('of any values is in the order of code points', () => {
    fc.assert(
      fc.property(values, (all) => {
        expect(contents(buildDictionary(all))).toEqual(inOrder(all));
      }),
    );
  });
});

test('ordinalOf returns the position of a value, and -1 for a value that the dictionary does not have', () => {
  fc.assert(
    fc.property(values, value, (all, wanted) => {
      const dictionary = buildDictionary(all);
      for (const known of [...all, wanted]) {
        expect(dictionary.ordinalOf(known)).toBe(inOrder(all).indexOf(known));
      }
    }),
  );
});

test('positionOf returns the number of values that sort before a text', () => {
  fc.assert(
    fc.property(values, text, (all, wanted) => {
      const before = inOrder(all).filter(
        (known) => typeof known !== 'string' || compareCodePoints(known, wanted) < 0,
      );
      expect(buildDictionary(all).positionOf(Buffer.from(wanted))).toBe(before.length);
    }),
  );
});

test('textAt returns the bytes of a text', () => {
  const dictionary = buildDictionary([undefined, 'é', 'a']);
  expect(dictionary.textAt(1)).toEqual(Buffer.from('a'));
  expect(dictionary.textAt(2)).toEqual(Buffer.from('é'));
});

describe('extend', () => {
  test('returns the dictionary of all values, and where the old ones are in it', () => {
    const { dictionary, ordinals } = buildDictionary([null, 'b', 'd']).extend(['c', undefined, 'a']);
    expect(contents(dictionary)).toEqual([undefined, null, 'a', 'b', 'c', 'd']);
    expect([...ordinals]).toEqual([1, 3, 5]);
  });

  test('returns the same as a new dictionary of all values', () => {
    fc.assert(
      fc.property(values, values, (all, more) => {
        const old = buildDictionary(all);
        const added = [...new Set(more)].filter((one) => !all.includes(one));
        const { dictionary, ordinals } = old.extend(added);
        expect(contents(dictionary)).toEqual(inOrder([...all, ...added]));
        expect(Array.from(ordinals, (ordinal) => dictionary.at(ordinal))).toEqual(contents(old));
      }),
    );
  });
});

test('bytes grow with the texts', () => {
  const small = buildDictionary(['a']).bytes;
  expect(buildDictionary(['a', 'x'.repeat(1_000)]).bytes).toBeGreaterThanOrEqual(small + 1_000);
});
