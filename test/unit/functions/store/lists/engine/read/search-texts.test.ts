import fc from 'fast-check';
import { buildDictionary, type ColumnValue } from '#functions/store/lists/engine/format/dictionary.ts';
import { SearchTexts, toSearchText } from '#functions/store/lists/engine/read/search-texts.ts';
import { rowText } from '#functions/store/model/row.ts';

test.each([
  ['Plan B', 'plan b'],
  ['ΟΔΟΣ ΟΔΟΣ', 'οδοσ οδοσ'],
  ['οδος', 'οδοσ'],
  ['İ', 'i\u0307'],
  ['\u212A', 'k'],
])('toSearchText of %j is %j', (text, expected) => {
  expect(toSearchText(text)).toBe(expected);
});

/** Letters whose lower case has another length, or depends on its neighbours. */
const letters = fc.constantFrom(
  'a',
  'A',
  'Σ',
  'ς',
  'σ',
  'İ',
  'i',
  '\u0307',
  'Ⱥ',
  'ⱥ',
  '😀',
  ' ',
  '\u0000',
  'ß',
  'ẞ',
);
const text = fc.array(letters, { maxLength: 6 }).map((all) => all.join(''));

test('the lower case of the beginning of a text is the beginning of its lower case', () => {
  fc.assert(
    fc.property(text, text, (beginning, rest) => {
      expect(toSearchText(beginning + rest)).toBe(toSearchText(beginning) + toSearchText(rest));
    }),
  );
});

/** Returns the values that a search finds. */
function search(values: readonly ColumnValue[], wanted: string, isBeginning: boolean, field = 'name') {
  const dictionary = buildDictionary(values);
  const accepted = new Uint8Array(dictionary.size);
  new SearchTexts(field, dictionary, () => {}).mark(accepted, wanted, isBeginning);
  return [...accepted.keys()]
    .filter((ordinal) => accepted[ordinal] === 1)
    .map((ordinal) => dictionary.at(ordinal));
}

test('finds what contains a text, or begins with it, and neither null nor absent values', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(text, fc.constantFrom(null, undefined))), text, (values, wanted) => {
      const lower = toSearchText(wanted);
      const texts = [...new Set(values)].filter((value) => typeof value === 'string');
      const matching = (accepts: (value: string) => boolean) =>
        texts
          .filter((value) => accepts(toSearchText(value)))
          .sort((one, other) => Buffer.from(one).compare(Buffer.from(other)));
      expect(search(values, lower, false)).toEqual(matching((value) => value.includes(lower)));
      expect(search(values, lower, true)).toEqual(matching((value) => value.startsWith(lower)));
    }),
  );
});

test('finds texts that are far from each other, and several in a row', () => {
  const values = Array.from({ length: 3_000 }, (_, number) => String(number).padStart(4, '0'));
  expect(search(values, '999', false)).toEqual(['0999', '1999', '2999']);
  expect(search(values, '12', true)).toEqual(values.slice(1_200, 1_300));
  expect(search(values, '', false)).toEqual(values);
});

test('does not search the hash of a long text', () => {
  const digest = rowText('description', 'X'.repeat(101));
  const [, hash = ''] = digest.split('\u0000');
  expect(search([digest], 'x'.repeat(100), true, 'description')).toEqual([digest]);
  expect(search([digest], toSearchText(hash), false, 'description')).toEqual([]);
});

test('knows its size in memory', () => {
  const { bytes } = new SearchTexts('name', buildDictionary(['a'.repeat(1_000), 'b']), () => {});
  expect(bytes).toBeGreaterThan(1_000);
  expect(bytes).toBeLessThan(1_500);
});

test('stops lower-casing texts when the time of the request is over', () => {
  const texts = Array.from({ length: 5_000 }, (_, number) => `Α${number}`);
  let checks = 0;
  const requireTime = (): void => {
    checks += 1;
    if (checks > 2) throw new Error('The time is over.');
  };
  expect(() => new SearchTexts('name', buildDictionary(texts), requireTime)).toThrow('The time is over.');
  expect(checks).toBe(3);
});
