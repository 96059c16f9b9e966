import { deflateRawSync, inflateRawSync } from 'node:zlib';
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
import {
  buildColumn,
  columnBytes,
  columnValues,
  decodeColumn,
  encodeColumn,
  patchColumn,
  valueAt,
} from '#functions/store/lists/engine/format/column.ts';
import {
  buildDictionary,
  type ColumnValue,
  type Dictionary,
} from '#functions/store/lists/engine/format/dictionary.ts';
import {
  chunkOf,
  chunkRows,
  countIds,
  encodeIdChunks,
  encodeIds,
  idAt,
  positionOfId,
} from '#functions/store/lists/engine/format/ids.ts';
import {
  columnNames,
  decodeManifest,
  emptyManifest,
  encodeManifest,
  fenceName,
  idsName,
  isBucketName,
  isColumnName,
  isManifest,
  isPatchName,
  isSmallSegmentName,
  type Manifest,
  manifestNames,
  newStepId,
  type Patch,
  patchNames,
  type Segment,
  segmentNames,
  segmentOf,
  sequenceOf,
  wholeColumns,
} from '#functions/store/lists/engine/format/manifest.ts';
import {
  columnPatchOf,
  countValues,
  decodePatch,
  encodePatch,
  encodePatchItems,
  fieldsOf,
  isNewerThan,
  mergePatches,
  type PatchValues,
  setValue,
} from '#functions/store/lists/engine/format/patch.ts';
import { decodeSmallSegment } from '#functions/store/lists/engine/format/small-segment.ts';
import { filterNames } from '#functions/store/lists/engine/read/column-reader.ts';
import { isText, type RowFilter } from '#functions/store/lists/engine/read/row-filter.ts';
import { stampPrefix } from '#functions/store/model/change-log.ts';
import { UnknownFormat } from '#functions/store/model/errors.ts';
import type { Item } from '#functions/store/model/writes.ts';
import { Random } from '#test/simulation/random.ts';
import { anyCharacter } from '#test/support/any-character.ts';
import { makeManifest, makePatchValues, makeSegment, type PatchEntry } from '#test/support/segments.ts';

describe('buckets', () => {
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
});

describe('column', () => {
  const value: fc.Arbitrary<ColumnValue> = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 8 }).filter((text) => text.isWellFormed()),
    fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\u{1F600}', '\u{1F601}'), maxLength: 4 }),
    fc.constantFrom(null, undefined, ''),
  );

  const values = fc.array(value, { maxLength: 40 });

  const numbered = (count: number): string[] =>
    Array.from({ length: count }, (_, number) => `text ${number}`);

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
});

describe('dictionary', () => {
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
});

describe('ids', () => {
  const id = fc.uuid();

  const sortedIds = (options: { minLength?: number; maxLength: number }) =>
    fc.uniqueArray(id, options).map((ids) => ids.toSorted());

  test('ids take 16 bytes each and are read by their positions', () => {
    fc.assert(
      fc.property(sortedIds({ maxLength: 20 }), (ids) => {
        const encoded = encodeIds(ids);
        expect(encoded.length).toBe(16 * ids.length);
        expect(countIds(encoded)).toBe(ids.length);
        expect(ids.map((_, position) => idAt(encoded, position))).toEqual(ids);
      }),
    );
  });

  test('positionOfId returns the number of ids that are less than another one', () => {
    fc.assert(
      fc.property(sortedIds({ maxLength: 20 }), id, (ids, other) => {
        for (const wanted of [...ids, other]) {
          expect(positionOfId(encodeIds(ids), wanted)).toBe(ids.filter((one) => one < wanted).length);
        }
      }),
    );
  });

  describe('chunkOf', () => {
    test('returns the last chunk whose first id is not greater than an id', () => {
      fc.assert(
        fc.property(sortedIds({ minLength: 1, maxLength: 20 }), id, (firstIds, other) => {
          const fence = encodeIds(firstIds);
          for (const wanted of [...firstIds, other]) {
            expect(chunkOf(fence, wanted)).toBe(
              Math.max(
                0,
                firstIds.findLastIndex((first) => first <= wanted),
              ),
            );
          }
        }),
      );
    });

    test('returns the first chunk for an id that is less than all', () => {
      const fence = encodeIds([
        '01890000-0000-7000-8000-000000000001',
        '01890000-0000-7000-8000-000000000002',
      ]);
      expect(chunkOf(fence, '01890000-0000-7000-8000-000000000000')).toBe(0);
    });
  });

  describe('encodeIdChunks', () => {
    const ids = (count: number): string[] =>
      Array.from({ length: count }, (_, row) => `01890000-0000-7000-8000-${String(row).padStart(12, '0')}`);

    test('returns no chunks for no ids', () => {
      expect(encodeIdChunks([])).toEqual({ chunks: [], fence: Buffer.alloc(0) });
    });

    test.each([
      [1, [1]],
      [chunkRows, [240]],
      [chunkRows + 1, [240, 1]],
      [3 * chunkRows - 1, [240, 240, 239]],
    ])('divides %i ids into chunks of %j', (count, lengths) => {
      const { chunks, fence } = encodeIdChunks(ids(count));
      expect(chunks.map(countIds)).toEqual(lengths);
      expect(Buffer.concat(chunks)).toEqual(encodeIds(ids(count)));
      expect(fence).toEqual(encodeIds(ids(count).filter((_, row) => row % chunkRows === 0)));
    });

    test('leaves a chunk and its key below half a read unit', () => {
      const [chunk] = encodeIdChunks(ids(chunkRows)).chunks;
      expect(chunk?.length).toBeLessThan(4_096 - 200);
    });

    test('has each id in the chunk that chunkOf returns', () => {
      const all = ids(1_000);
      const { chunks, fence } = encodeIdChunks(all);
      for (const [row, one] of all.entries()) {
        const chunk = chunkOf(fence, one);
        expect(chunk * chunkRows + positionOfId(chunks[chunk] as Buffer, one)).toBe(row);
      }
    });
  });
});

describe('manifest', () => {
  const segment = makeSegment({
    id: '7-aaaaaa.0',
    first: '01890000-0000-7000-8000-000000000001',
    last: '01890000-0000-7000-8000-000000000300',
    rows: 300,
    deleted: 2,
    columns: { $version: '7-aaaaaa', name: '8-bbbbbb' },
    patched: { $version: 5 },
  });

  const smallPatch: Patch = { step: '9-cccccc', values: 3, bytes: 80 };
  const largePatch: Patch = { step: '8-bbbbbb', values: 900, bytes: 9_000, items: { $version: 1, name: 2 } };

  const manifest: Manifest = {
    version: 9,
    watermark: 1_770_000_000_000,
    absorbed: ['r#1k1bfg2k0abc'],
    newestStamps: { 30: 1_769_999_000_000 },
    generation: 7,
    segments: [segment],
    patches: [largePatch, smallPatch],
    outOfOrder: [{ name: 'out-of-order:9-dddddd/0', rows: 2, bytes: 40 }],
  };

  describe('names of items', () => {
    test('of a segment are those of its columns, its fence and its chunks of ids', () => {
      expect(columnNames(segment, 'name')).toEqual(['7-aaaaaa.0/8-bbbbbb/name']);
      expect(columnNames(segment, 'color')).toEqual([]);
      expect(fenceName(segment)).toBe('7-aaaaaa.0/fence');
      expect(idsName(segment, 1)).toBe('7-aaaaaa.0/ids1');
      expect(segmentNames(segment)).toEqual([
        '7-aaaaaa.0/7-aaaaaa/$version',
        '7-aaaaaa.0/8-bbbbbb/name',
        '7-aaaaaa.0/fence',
        '7-aaaaaa.0/ids0',
        '7-aaaaaa.0/ids1',
      ]);
    });

    test('of a column in buckets are one for each bucket', () => {
      const bucketed = { ...segment, buckets: { name: 2 } };
      const names = ['7-aaaaaa.0/8-bbbbbb/name.0', '7-aaaaaa.0/8-bbbbbb/name.1'];
      expect(columnNames(bucketed, 'name')).toEqual(names);
      expect(segmentNames(bucketed).filter(isBucketName)).toEqual(names);
      expect(segmentNames(bucketed).filter(isColumnName)).toEqual(['7-aaaaaa.0/7-aaaaaa/$version', ...names]);
    });

    test('contain a column in buckets if they contain each bucket', () => {
      const bucketed = { ...segment, buckets: { name: 2 } };
      const buckets = columnNames(bucketed, 'name');
      const names = new Set([...buckets, ...columnNames(bucketed, '$version')]);
      expect(wholeColumns([bucketed], names)).toEqual([{ name: '7-aaaaaa.0/8-bbbbbb/name', buckets }]);
      expect(wholeColumns([bucketed], new Set(buckets.slice(1)))).toEqual([]);
      expect(wholeColumns([segment], names)).toEqual([]);
    });

    test('of a small segment are one for all fields, the ids and the fence', () => {
      const small = { ...segment, isSmall: true } as const;
      const name = '7-aaaaaa.0/all';
      expect(columnNames(small, 'name')).toEqual([name]);
      expect(columnNames(small, 'color')).toEqual([]);
      expect([fenceName(small), idsName(small, 1)]).toEqual([name, name]);
      expect(segmentNames(small)).toEqual([name]);
      expect(isSmallSegmentName(name)).toBe(true);
      expect([...segmentNames(segment), ...patchNames(smallPatch)].filter(isSmallSegmentName)).toEqual([]);
    });

    test('of a small patch are one for all fields', () => {
      expect(patchNames(smallPatch, ['name'])).toEqual(['patch:9-cccccc/all']);
      expect(patchNames(smallPatch)).toEqual(['patch:9-cccccc/all']);
    });

    test('of a large patch are those of the wanted fields that it has', () => {
      expect(patchNames(largePatch, ['name', 'color'])).toEqual([
        'patch:8-bbbbbb/name.0',
        'patch:8-bbbbbb/name.1',
      ]);
      expect(patchNames(largePatch, ['color'])).toEqual([]);
    });

    test('of a manifest are those of its segments, patches and out-of-order rows', () => {
      expect(manifestNames(manifest)).toEqual([
        ...segmentNames(segment),
        'patch:8-bbbbbb/$version.0',
        'patch:8-bbbbbb/name.0',
        'patch:8-bbbbbb/name.1',
        'patch:9-cccccc/all',
        'out-of-order:9-dddddd/0',
      ]);
      expect(manifestNames(emptyManifest)).toEqual([]);
    });

    test('tell items of patches from those of segments, whatever the number of the step', () => {
      expect(manifestNames(manifest).filter(isPatchName)).toHaveLength(4);
      const id = `${newStepId(Number.parseInt('patch', 36))}.0`;
      expect(segmentNames({ ...segment, id }).filter(isPatchName)).toEqual([]);
    });
  });

  describe('newStepId', () => {
    test('begins with the number of the step', () => {
      expect(newStepId(36)).toMatch(/^10-[0-9a-f]{6}$/);
    });

    test.each([[1], [35], [36], [123_456_789]])(
      'returns a name of which sequenceOf returns the number %i',
      (version) => {
        expect(sequenceOf(newStepId(version))).toBe(version);
      },
    );

    test('returns different names for two steps with the same number', () => {
      const names = new Set(Array.from({ length: 5 }, () => newStepId(1)));
      expect(names.size).toBe(5);
    });
  });

  describe('segmentOf', () => {
    const manifestWith = (firstIds: readonly string[]): Manifest =>
      makeManifest({ segments: firstIds.map((first) => ({ ...segment, first })) });

    test('returns the last segment whose first id is not greater than an id, and else the first one', () => {
      const firstIds = fc
        .uniqueArray(fc.uuid(), { minLength: 1, maxLength: 12 })
        .map((ids) => ids.toSorted());
      fc.assert(
        fc.property(firstIds, fc.uuid(), (ids, other) => {
          for (const id of [...ids, other]) {
            expect(segmentOf(manifestWith(ids), id)).toBe(
              Math.max(
                0,
                ids.findLastIndex((first) => first <= id),
              ),
            );
          }
        }),
      );
    });

    test('returns 0 without segments', () => {
      expect(segmentOf(emptyManifest, segment.first)).toBe(0);
    });
  });

  describe('the item of a manifest', () => {
    const item: Item = { pk: 'acme#task#log', sk: '~', ...encodeManifest(manifest) };

    test('has its format and its version, which conditions compare', () => {
      expect(item).toMatchObject({ format: 6, version: 9, state: expect.any(Buffer) });
    });

    test('is decoded to the same manifest', () => {
      expect(decodeManifest(item)).toEqual(manifest);
      expect(decodeManifest({ pk: '', sk: '', ...encodeManifest(emptyManifest) })).toEqual(emptyManifest);
    });

    test('of an unknown format throws UnknownFormat that names it and the runbook', () => {
      expect(() => decodeManifest({ ...item, format: 2 })).toThrow(
        new UnknownFormat('The format of a stored item (manifest) is 2, and this release reads 6.'),
      );
      expect(() => decodeManifest({ ...item, format: 2 })).toThrow(
        /See "A format is unknown" in docs\/operations\.md\.$/,
      );
    });

    test.each([
      ['the item', { ...item, shards: 2 }],
      ['the state', { ...item, ...encodeManifest({ ...manifest, shards: 2 } as Manifest) }],
      [
        'a segment',
        { ...item, ...encodeManifest({ ...manifest, segments: [{ ...segment, shards: 2 } as Segment] }) },
      ],
      [
        'a patch',
        {
          ...item,
          ...encodeManifest({
            ...manifest,
            patches: [{ step: '1-a', values: 1, bytes: 1, shards: 2 } as Patch],
          }),
        },
      ],
    ])('with an unknown field in %s throws UnknownFormat that names it', (_, other) => {
      expect(() => decodeManifest(other)).toThrow(
        new UnknownFormat(
          'A stored item (manifest) has the field "shards", which this release does not know.',
        ),
      );
    });

    test('is told from records by its sort key', () => {
      expect(isManifest(item)).toBe(true);
      expect(isManifest({ pk: item.pk, sk: stampPrefix(1) })).toBe(false);
    });
  });
});

describe('patch', () => {
  const entriesOf = (values: PatchValues): PatchEntry[] =>
    [...values].flatMap(([segmentId, fields]) =>
      [...fields].flatMap(([field, columnPatch]) =>
        [...columnPatch].map(([row, value]): PatchEntry => [segmentId, field, row, value]),
      ),
    );

  const value: fc.Arbitrary<ColumnValue> = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 5 }).filter((text) => text.isWellFormed()),
    fc.constantFrom(null, undefined, '', '0'),
  );

  const entry: fc.Arbitrary<PatchEntry> = fc.tuple(
    fc.constantFrom('1.0', '1.1', '2.0'),
    fc.constantFrom('name', 'status'),
    fc.nat({ max: 20 }),
    value,
  );

  const entries = fc.array(entry, { maxLength: 30 });

  const patchOf = (step: string): Patch => ({ step, values: 1, bytes: 30 });

  describe('setValue', () => {
    test('replaces the value that was set before', () => {
      const values = makePatchValues(
        ['1.0', 'name', 3, 'a'],
        ['1.0', 'name', 3, 'b'],
        ['1.0', 'name', 4, null],
      );
      expect(entriesOf(values)).toEqual([
        ['1.0', 'name', 3, 'b'],
        ['1.0', 'name', 4, null],
      ]);
    });
  });

  test('columnPatchOf returns the values of one field of a segment', () => {
    const values = makePatchValues(
      ['1.0', 'name', 3, 'a'],
      ['1.0', 'status', 3, 'b'],
      ['2.0', 'name', 3, 'c'],
    );
    expect(columnPatchOf(values, '1.0', 'name')).toEqual(new Map([[3, 'a']]));
    expect(columnPatchOf(values, '1.0', 'color')).toEqual(new Map());
    expect(columnPatchOf(values, '3.0', 'name')).toEqual(new Map());
    expect(columnPatchOf(undefined, '1.0', 'name')).toEqual(new Map());
  });

  test('countValues and fieldsOf tell the number of values and their fields', () => {
    const values = makePatchValues(
      ['1.0', 'name', 3, 'a'],
      ['1.0', 'status', 3, 'b'],
      ['2.0', 'name', 3, 'c'],
    );
    expect(countValues(values)).toBe(3);
    expect(fieldsOf(values)).toEqual(['name', 'status']);
    expect(countValues(new Map())).toBe(0);
  });

  describe('a decoded patch', () => {
    test('has the values of the encoded one, in the order of the rows', () => {
      fc.assert(
        fc.property(entries, (all) => {
          const values = makePatchValues(...all);
          const decoded = decodePatch(encodePatch(values));
          expect(decoded).toEqual(values);
          for (const fields of decoded.values()) {
            for (const columnPatch of fields.values()) {
              expect([...columnPatch.keys()]).toEqual(
                [...columnPatch.keys()].sort((one, other) => one - other),
              );
            }
          }
        }),
      );
    });

    test('has the values of one field when only this field was encoded', () => {
      const values = makePatchValues(
        ['1.0', 'name', 3, 'a'],
        ['1.0', 'status', 3, 'b'],
        ['2.0', 'status', 1, undefined],
      );
      expect(entriesOf(decodePatch(encodePatch(values, 'status')))).toEqual([
        ['1.0', 'status', 3, 'b'],
        ['2.0', 'status', 1, undefined],
      ]);
    });
  });

  describe('encodePatchItems', () => {
    test('returns one item when it is small enough', () => {
      const values = makePatchValues(['1.0', 'name', 3, 'a'], ['1.0', 'status', 3, 'b']);
      expect(encodePatchItems(values, 'name')).toEqual([encodePatch(values, 'name')]);
    });

    test('divides the values among items that are not too large', () => {
      fc.assert(
        fc.property(entries, (all) => {
          const values = makePatchValues(...all);
          const items = encodePatchItems(values, 'name', 100);
          expect(Math.max(...items.map(({ length }) => length))).toBeLessThanOrEqual(100);
          const decoded = items.flatMap((item) => entriesOf(decodePatch(item)));
          expect(decoded).toHaveLength(countValues(decodePatch(encodePatch(values, 'name'))));
          expect(makePatchValues(...decoded)).toEqual(decodePatch(encodePatch(values, 'name')));
        }),
      );
    });
  });

  describe('isNewerThan', () => {
    const segment = makeSegment({ id: '1.0', columns: { name: '1z-aaaaaa' } });

    test.each([
      [true, '20-000000', 'name'],
      [false, '1z-ffffff', 'name'],
      [false, 'z-ffffff', 'name'],
      [true, '1-000000', 'color'],
    ])('returns %j for the patch %s and the field %s', (isNewer, step, field) => {
      expect(isNewerThan(patchOf(step), segment, field)).toBe(isNewer);
    });
  });

  describe('mergePatches', () => {
    const all = { name: '1-aaaaaa', status: '1-aaaaaa' };

    test('returns of each value that of the newest patch', () => {
      const merged = mergePatches(
        [
          {
            patch: patchOf('2-aaaaaa'),
            values: makePatchValues(['1.0', 'name', 1, 'a'], ['1.0', 'name', 2, 'b']),
          },
          {
            patch: patchOf('3-aaaaaa'),
            values: makePatchValues(['1.0', 'name', 2, 'c'], ['1.0', 'status', 2, 'd']),
          },
        ],
        [makeSegment({ id: '1.0', columns: all })],
      );
      expect(entriesOf(merged)).toEqual([
        ['1.0', 'name', 1, 'a'],
        ['1.0', 'name', 2, 'c'],
        ['1.0', 'status', 2, 'd'],
      ]);
    });

    test('leaves out values of segments that do not exist any more', () => {
      const values = makePatchValues(['1.0', 'name', 1, 'a'], ['1.1', 'name', 1, 'b']);
      const merged = mergePatches(
        [{ patch: patchOf('2-aaaaaa'), values }],
        [makeSegment({ id: '1.1', columns: all })],
      );
      expect(entriesOf(merged)).toEqual([['1.1', 'name', 1, 'b']]);
    });

    test('leaves out values that the columns contain', () => {
      const segment = makeSegment({ id: '1.0', columns: { name: '3-aaaaaa', status: '2-aaaaaa' } });
      const values = makePatchValues(['1.0', 'name', 1, 'a'], ['1.0', 'status', 1, 'b']);
      const merged = mergePatches([{ patch: patchOf('3-aaaaaa'), values }], [segment]);
      expect(entriesOf(merged)).toEqual([['1.0', 'status', 1, 'b']]);
    });

    test('returns what setting all values in the order of the patches returns', () => {
      const segments = ['1.0', '1.1', '2.0'].map((id) => makeSegment({ id, columns: all }));
      fc.assert(
        fc.property(fc.array(entries, { maxLength: 4 }), (patches) => {
          const merged = mergePatches(
            patches.map((own, position) => ({
              patch: patchOf(`${position + 2}-aaaaaa`),
              values: makePatchValues(...own),
            })),
            segments,
          );
          expect(merged).toEqual(makePatchValues(...patches.flat()));
        }),
      );
    });

    test('leaves the patches as they are', () => {
      const values = makePatchValues(['1.0', 'name', 1, 'a']);
      const merged = mergePatches(
        [{ patch: patchOf('2-aaaaaa'), values }],
        [makeSegment({ id: '1.0', columns: all })],
      );
      setValue(merged, '1.0', 'name', [1, 'b']);
      expect(entriesOf(values)).toEqual([['1.0', 'name', 1, 'a']]);
    });
  });

  test('decodePatch throws UnknownFormat for a value that is neither a text, null nor absent', () => {
    const encoded = deflateRawSync(JSON.stringify({ '1.0': { name: [[0], [1]] } }));
    expect(() => decodePatch(encoded)).toThrow(new UnknownFormat('A column has the value 1.'));
  });
});

describe('small-segment', () => {
  const ids = ['01890000-0000-7000-8000-000000000001'];

  test.each([
    [
      'an unknown field',
      { ids, columns: {}, texts: [] },
      'A stored item (small segment) has the field "texts", which this release does not know.',
    ],
    ['an unknown value', { ids, columns: { name: [true] } }, 'A column has the value true.'],
  ])('decodeSmallSegment throws UnknownFormat for %s', (_, stored, message) => {
    const encoded = deflateRawSync(JSON.stringify(stored));
    expect(() => decodeSmallSegment(encoded)).toThrow(new UnknownFormat(message));
  });
});
