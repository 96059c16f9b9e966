import { deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import {
  buildColumn,
  columnBytes,
  columnValues,
  decodeColumn,
  encodeColumn,
  patchColumn,
  valueAt,
} from '#functions/store/lists/engine/format/column.ts';
import type { ColumnValue } from '#functions/store/lists/engine/format/dictionary.ts';
import { UnknownFormat } from '#functions/store/model/errors.ts';
import { anyCharacter } from '#test/support/any-character.ts';

const value: fc.Arbitrary<ColumnValue> = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 8 }).filter((text) => text.isWellFormed()),
  fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\u{1F600}', '\u{1F601}'), maxLength: 4 }),
  fc.constantFrom(null, undefined, ''),
);

const values = fc.array(value, { maxLength: 40 });

const numbered = (count: number): string[] => Array.from({ length: count }, (_, number) => `text ${number}`);

test('a column has the value of each row', () => {
  fc.assert(
    fc.property(values, (rows) => {
      const column = buildColumn(rows);
      expect(columnValues(column)).toEqual(rows);
      expect(rows.map((_, row) => valueAt(column, row))).toEqual(rows);
    }),
  );
});

test('ordinals compare as their values do', () => {
  const { ordinals } = buildColumn(['b', null, 'a', undefined, 'b']);
  expect([...ordinals]).toEqual([3, 1, 2, 0, 3]);
});

describe('a decoded column has the values of the encoded one', () => {
  test.each<[string, ColumnValue[]]>([
    ['no rows', []],
    ['absent values only', [undefined, undefined]],
    ['nulls only', [null]],
    ['empty texts', ['', null, '', undefined]],
    ['characters of two and four bytes that share their first bytes', ['é', 'è', '\u{1F600}', '\u{1F601}']],
    ['texts that begin with others', ['a', 'ab', 'abc', 'b', 'abd']],
    ['control characters', ['\u0000', '\u0001', '\u0000a']],
    ['a text of more bytes than two groups of seven bits hold', ['x'.repeat(20_000), 'x'.repeat(19_999)]],
    ['256 different values', numbered(256)],
    ['257 different values', numbered(257)],
    ['65,536 different values', numbered(65_536)],
    ['65,537 different values', numbered(65_537)],
  ])('of %s', (_, rows) => {
    expect(columnValues(decodeColumn(encodeColumn(buildColumn(rows))))).toEqual(rows);
  });

  test('of any values', () => {
    fc.assert(
      fc.property(values, (rows) => {
        expect(columnValues(decodeColumn(encodeColumn(buildColumn(rows))))).toEqual(rows);
      }),
    );
  });

  test('after it was patched', () => {
    const patched = patchColumn(buildColumn(['a', 'b', null]), new Map([[1, 'c']]));
    expect(columnValues(decodeColumn(encodeColumn(patched)))).toEqual(['a', 'c', null]);
  });
});

test('a column of 16,384 rows with three values takes less than half a byte for each row', () => {
  const rows = Array.from(
    { length: 16_384 },
    (_, row) => ['todo', 'doing', 'done'][(row * row) % 3] as string,
  );
  expect(encodeColumn(buildColumn(rows)).length).toBeLessThan(16_384 / 2);
});

describe('patchColumn', () => {
  test('returns the column with other values in some rows, and leaves the old column as it is', () => {
    const column = buildColumn(['a', 'b', 'c', 'a']);
    const patched = patchColumn(
      column,
      new Map<number, ColumnValue>([
        [0, null],
        [2, 'a'],
        [3, 'bb'],
      ]),
    );
    expect(columnValues(patched)).toEqual([null, 'b', 'a', 'bb']);
    expect(columnValues(column)).toEqual(['a', 'b', 'c', 'a']);
  });

  test('returns the values that a new column of all rows has', () => {
    const patched = values.chain((rows) =>
      fc.tuple(
        fc.constant(rows),
        fc.array(fc.tuple(fc.nat({ max: Math.max(0, rows.length - 1) }), value), {
          maxLength: rows.length === 0 ? 0 : 20,
        }),
      ),
    );
    fc.assert(
      fc.property(patched, ([rows, changes]) => {
        const expected = [...rows];
        for (const [row, changed] of changes) expected[row] = changed;
        const column = patchColumn(buildColumn(rows), new Map(changes));
        expect(columnValues(column)).toEqual(expected);
        // Ordinals are in the order of the values, also when the dictionary keeps replaced ones.
        const inOrder = (ordinals: Iterable<number>): ColumnValue[] =>
          [...new Set(ordinals)].sort((one, other) => one - other).map((one) => column.dictionary.at(one));
        const rebuilt = buildColumn(expected);
        expect(inOrder(column.ordinals)).toEqual(
          Array.from({ length: rebuilt.dictionary.size }, (_, ordinal) => rebuilt.dictionary.at(ordinal)),
        );
      }),
    );
  });

  test('returns wider ordinals when the dictionary outgrows one byte', () => {
    const patched = patchColumn(buildColumn(numbered(256)), new Map([[7, 'new']]));
    expect(patched.ordinals).toBeInstanceOf(Uint16Array);
    expect(valueAt(patched, 7)).toBe('new');
    expect(valueAt(patched, 255)).toBe('text 255');
  });

  test('returns the same column for no values', () => {
    const column = buildColumn(['a']);
    expect(patchColumn(column, new Map())).toBe(column);
  });
});

test('columnBytes counts one byte for each row of a column with few values', () => {
  const few = columnBytes(buildColumn(Array(1_000).fill('a')));
  expect(columnBytes(buildColumn(Array(2_000).fill('a'))) - few).toBe(1_000);
});

test('decodeColumn throws UnknownFormat for a mark and for bytes that it does not know', () => {
  const bytes = inflateRawSync(encodeColumn(buildColumn(['a', 'b'])));
  expect(() => decodeColumn(deflateRawSync(Buffer.concat([bytes, Buffer.of(1)])))).toThrow(
    new UnknownFormat(
      `A column has ${bytes.length + 1} bytes, and this release reads ${bytes.length} of them.`,
    ),
  );
  // After the numbers of rows and of texts.
  bytes[2] = 4;
  expect(() => decodeColumn(deflateRawSync(bytes))).toThrow(new UnknownFormat('A column has the mark 4.'));
});
