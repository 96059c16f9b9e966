import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import {
  type Bucket,
  decodeBucket,
  divideIds,
  encodeBucket,
  groupByBucket,
  joinBuckets,
  rowsOfTexts,
} from '#functions/engine/columns/format/buckets.ts';
import {
  buildColumn,
  type ColumnPatch,
  columnValues,
  decodeColumn,
  encodeColumn,
  patchColumn,
} from '#functions/engine/columns/format/column.ts';
import { changeDeleted, countExpired, isKept } from '#functions/engine/columns/format/deleted-rows.ts';
import { buildDictionary, type ColumnValue } from '#functions/engine/columns/format/dictionary.ts';
import { encodeField } from '#functions/engine/columns/format/encode-field.ts';
import {
  chunkOf,
  chunkRows,
  encodeIdChunks,
  encodeIds,
  idAt,
  positionOfBoundary,
} from '#functions/engine/columns/format/ids.ts';
import { groupByIds, listValues, placeholdersOf } from '#functions/engine/columns/format/lists.ts';
import {
  decodeManifest,
  emptyManifest,
  encodeManifest,
  isPatchName,
  type Manifest,
  namesItem,
  newStepId,
  type Patch,
  type Segment,
  segmentNames,
  sequenceOf,
  type WaitingItem,
} from '#functions/engine/columns/format/manifest.ts';
import {
  countValues,
  decodePatch,
  encodePatch,
  encodePatchItems,
  mergePatches,
} from '#functions/engine/columns/format/patch.ts';
import { addWaiting } from '#functions/engine/columns/format/waiting-rows.ts';
import {
  decodeFirstWords,
  encodeWordIndex,
  itemsOfWord,
  markWord,
  wordsOfRows,
} from '#functions/engine/columns/format/word-index.ts';
import { filterNames } from '#functions/engine/columns/read/column-reader.ts';
import { isOneOf, type RowFilter } from '#functions/engine/columns/read/row-filter.ts';
import { deflate, inflate } from '#functions/engine/model/deflate.ts';
import { UnknownFormat } from '#functions/engine/model/errors.ts';
import { encodeEntries } from '#functions/engine/model/record-codec.ts';
import { anyCharacter } from '#test/support/any-character.ts';
import { makeManifest, makePatchValues, makeSegment, type PatchEntry } from '#test/support/segments.ts';

const noLimit = (): void => undefined;

/** Fewer than the default: these are many properties. */
const numRuns = 50;

const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 6 }).filter((value) => value.isWellFormed()),
  fc.string({ unit: fc.constantFrom('a', 'b', '\u0000', 'é', '\uFFFD', '\u{1F600}'), maxLength: 3 }),
);
const value: fc.Arbitrary<ColumnValue> = fc.oneof(
  { arbitrary: text, weight: 8 },
  fc.constantFrom(null, undefined, ''),
);
const values = fc.array(value, { maxLength: 30 });

/** Deflate shortens it by a quarter. */
const randomText = createHash('shake256', { outputLength: 400_000 }).digest('base64');

/** Returns the longest text that is encoded as so many bytes, and one that is longer by a character, which takes a byte. */
function textsAround(bytes: number, encode: (text: string) => Uint8Array): [string, string] {
  let length = 0;
  const textOf = (less = 0): string => randomText.slice(0, length - less);
  for (let left = bytes; left >= 0; left = bytes - encode(textOf()).length) length += Math.max(1, left);
  expect(encode(textOf(1))).toHaveLength(bytes);
  return [textOf(1), textOf()];
}

const idOf = (number: number): string =>
  `01890000-0000-7000-8000-${((number * 2_654_435_761) % 2 ** 32).toString(16).padStart(12, '0')}`;

describe('buckets', () => {
  const ids = [1, 2, 3, 4].map(idOf);
  const [first = ''] = ids;
  const idValues = fc.array(fc.oneof(fc.constantFrom(...ids, null, undefined), fc.uuid()), { maxLength: 60 });
  const idsOf = (rows: readonly ColumnValue[]) => rows.map((id) => (id === null ? [] : [id ?? '']));
  const bucketsOf = (rows: readonly ColumnValue[], count: number) =>
    divideIds(idsOf(rows), count).map(encodeBucket).map(decodeBucket);

  test.each<[string, ColumnValue[]]>([
    ['no rows', []],
    ['absent values only', [undefined]],
    ['more ids than one byte can number', Array.from({ length: 2_000 }, (_, row) => idOf(row % 700))],
  ])('of a column of ids have the values of %s', (_, rows) => {
    expect(columnValues(joinBuckets(bucketsOf(rows, 2), rows.length))).toEqual(rows);
  });

  test('of a column of ids have the values of any ids, and one bucket has the rows of an id', () => {
    const texts = fc.array(fc.oneof(fc.constantFrom(...ids, 'x', ''), fc.uuid()), { maxLength: 4 });
    fc.assert(
      fc.property(idValues, fc.integer({ min: 1, max: 7 }), texts, (rows, count, wanted) => {
        const buckets = bucketsOf(rows, count);
        expect(joinBuckets(buckets, rows.length)).toEqual(buildColumn(rows));
        const groups = groupByBucket(wanted, count);
        const textsOf = new Map([...groups].map(([bucket, own]) => [buckets[bucket] as Bucket, own]));
        // A bucket is asked for its own texts only: many parents would otherwise be looked up in each of many buckets.
        expect([...groups.values()].flat().toSorted()).toEqual(wanted.toSorted());
        const patch = new Map(rows.flatMap((_, row) => (row % 7 === 3 ? [[row, wanted[0] ?? null]] : [])));
        const accepts = (one: ColumnValue) => wanted.includes(one ?? 'none');
        expect([...rowsOfTexts(textsOf, patch, accepts)]).toEqual(
          rows.flatMap((one, row) => {
            const now = patch.has(row) ? patch.get(row) : one;
            return wanted.includes(now ?? 'none') ? [row] : [];
          }),
        );
      }),
      { numRuns },
    );
  });

  test('a large column is one item if it has other texts than ids', () => {
    const rows = Array.from({ length: 1_000 }, (_, row) => idOf(row));
    expect(encodeField('userId', rows, 1_000, noLimit).get('userId')?.length).toBeGreaterThan(4);
    expect(encodeField('userId', [...rows, 'x'], 1_000, noLimit).get('userId')).toHaveLength(1);
  });

  describe('of lists', () => {
    const [one = '', other = ''] = ids;
    const list = fc.uniqueArray(fc.constantFrom(...Array.from({ length: 40 }, (_, number) => idOf(number))), {
      maxLength: 12,
    });
    const listTexts = fc.array(
      fc.oneof({ arbitrary: list.map((all) => all.join()), weight: 6 }, fc.constantFrom(null, undefined, '')),
      { minLength: 2, maxLength: 60 },
    );

    /** Returns the buckets of lists, and the positions of their ids. */
    function encodeLists(rows: readonly ColumnValue[], bucketBytes: number) {
      // There are several buckets, and rows of which it is clear that they are lists.
      const all = [...rows, [one, other].join(), ...Array.from({ length: 40 }, (_, number) => idOf(number))];
      const encoded = encodeField('tagIds', all, bucketBytes, noLimit);
      const [buckets = [], positions = []] = [...encoded.values()];
      return { all, buckets: buckets.map(decodeBucket), positions: positions.map((bytes) => inflate(bytes)) };
    }

    test('have the lists in their order, of all rows and of some', () => {
      fc.assert(
        fc.property(
          listTexts,
          fc.integer({ min: 40, max: 200 }),
          fc.nat({ max: 50 }),
          (rows, bytes, from) => {
            const { all, buckets, positions } = encodeLists(rows, bytes);
            expect(positions.map(({ length }) => length)).toEqual(
              buckets.map((bucket) => bucket.rows.length),
            );
            const range = { from, to: from + 2 };
            expect(listValues(buckets, positions, range)).toEqual(all.slice(from, from + 2));
            expect(listValues(buckets, positions, { from: 0, to: all.length })).toEqual(all);
          },
        ),
        { numRuns },
      );
    });

    /** Returns values with those of a patch. */
    const patched = (values: readonly ColumnValue[], patch: ColumnPatch): ColumnValue[] =>
      values.map((value, row) => (patch.has(row) ? patch.get(row) : value));

    test('have the rows with some ids, or without ids', () => {
      const wanted = fc.uniqueArray(fc.constantFrom(one, other, idOf(7), 'x'), { maxLength: 3 });
      fc.assert(
        fc.property(listTexts, wanted, fc.subarray([null, undefined, '']), (rows, some, others) => {
          const { all, buckets } = encodeLists(rows, 100);
          const patch = new Map(all.flatMap((_, row) => (row % 7 === 3 ? [[row, some[0] ?? null]] : [])));
          const isOther = (value: ColumnValue): boolean => (others as ColumnValue[]).includes(value);
          const accepts = (value: ColumnValue): boolean =>
            value ? value.split(',').some((id) => some.includes(id)) : isOther(value);
          const byBucket = groupByBucket([...some, ...placeholdersOf(isOther)], buckets.length);
          const textsOf = new Map([...byBucket].map(([bucket, own]) => [buckets[bucket] as Bucket, own]));
          const expected = patched(all, patch).flatMap((value, row) => (accepts(value) ? [row] : []));
          expect([...rowsOfTexts(textsOf, patch, accepts)]).toEqual(expected);
        }),
        { numRuns },
      );
    });

    test('have the rows of each id, of some rows', () => {
      fc.assert(
        fc.property(listTexts, (rows) => {
          const { all, buckets } = encodeLists(rows, 100);
          const patch = new Map(all.flatMap((_, row) => (row % 7 === 3 ? [[row, rows[0]]] : [])));
          const isWanted = Uint8Array.from(all, (_, row) => row % 2);
          const found = groupByIds(buckets, patch, isWanted.slice()).flatMap((own) =>
            Array.from(own.groups, (group, at) => ({ row: own.rows[at], ids: own.values.at(group) })),
          );
          const pairs = found.flatMap(({ row, ids }) => ids?.split(',').map((id) => `${row} ${id}`) ?? []);
          const expected = patched(all, patch).flatMap((value, row) =>
            isWanted[row] === 1 ? (value?.split(',').map((id) => `${row} ${id}`) ?? []) : [],
          );
          expect(pairs.toSorted()).toEqual(expected.toSorted());
        }),
        { numRuns },
      );
    });

    const many = Array.from({ length: 256 }, (_, number) => idOf(number));

    test.each<[string, ColumnValue[], number]>([
      ['lists are', ['', many.slice(1).join()], 2],
      ['lists of one id are, if a row has none', [...many, ''], 2],
      ['lists of 256 ids are', [many.join()], 2],
      ['ids are not', many, 1],
      ['lists of 257 ids are not, because a position takes a byte', [[...many, idOf(256)].join()], 1],
      ['lists of other texts are not', [many.join(), 'x,y'], 1],
      ['small lists are not', ['', [one, other].join()], 1],
      ['rows without ids are not', Array(4_000).fill('').fill(null, 7), 1],
    ])('%s written as lists', (_, rows, columns) => {
      expect(encodeField('tagIds', rows, 100, noLimit).size).toBe(columns);
    });

    test('are read by one bucket for each id, and one for the rows without ids', () => {
      const columns = { tagIds: '2-bbbbbb', '$positions-tagIds': '2-bbbbbb' };
      const segment = makeSegment({ columns, buckets: { tagIds: 50, '$positions-tagIds': 50 } });
      const namesOf = (more: Partial<RowFilter>) =>
        filterNames(segment, { field: 'tagIds', condition: { by: 'anyId', ids: [one] }, ...more });
      const bucketsOfTexts = (...texts: string[]) =>
        [...groupByBucket(texts, 50).keys()].map((bucket) => `1-aaaaaa.0/2-bbbbbb/tagIds.${bucket}`);
      const [ofAbsent = '', ofNull = '', ofEmpty = ''] = placeholdersOf(() => true);
      expect(namesOf({})).toEqual(bucketsOfTexts(one));
      expect(namesOf({ condition: { by: 'anyId', ids: [one, ofNull] } })).toEqual(bucketsOfTexts(one));
      expect(namesOf({ defaultValue: one })).toEqual(bucketsOfTexts(one, ofAbsent));
      expect(namesOf({ acceptsNull: true })).toEqual(bucketsOfTexts(one, ofAbsent, ofNull));
      const any: Partial<RowFilter> = { condition: { by: 'anyId' } };
      const ofOthers = bucketsOfTexts(ofAbsent, ofNull, ofEmpty);
      expect(namesOf({ ...any, isNegated: true, acceptsNull: true })).toEqual(ofOthers);
      expect(namesOf(any)).toEqual(ofOthers);
      expect(namesOf({ ...any, acceptsNull: true })).toEqual(bucketsOfTexts(ofEmpty));
      expect(namesOf({ or: isOneOf('name', ['x']) })).toEqual(bucketsOfTexts(one));
      // A column whose positions are of another step is one of texts.
      const rewritten = makeSegment({ ...segment, columns: { ...columns, tagIds: '3-cccccc' }, buckets: {} });
      expect(filterNames(rewritten, { field: 'tagIds', condition: { by: 'anyId', ids: [one] } })).toEqual([
        '1-aaaaaa.0/3-cccccc/tagIds',
      ]);
    });
  });

  test('namesItem names the items of a manifest, and what is derived from its columns', () => {
    const columns = { projectId: '2-bbbbbb', name: '1-aaaaaa' };
    const segments = [makeSegment({ columns, buckets: { projectId: 2 } })];
    const patches = [{ step: '3-cccccc', values: 1, bytes: 1 }];
    const waiting = [{ name: 'waiting:4-dddddd/0', rows: 1, bytes: 1 }] as const;
    const isNamed = namesItem(makeManifest({ segments, patches, waiting }));
    const named = [
      ...['1-aaaaaa.0/ids0', '1-aaaaaa.0/fence', 'patch:3-cccccc/all', 'waiting:4-dddddd/0'],
      ...['1-aaaaaa.0/1-aaaaaa/name', '1-aaaaaa.0/1-aaaaaa/name+/ordered["a.b"]'],
      ...['1-aaaaaa.0/2-bbbbbb/projectId.1', '1-aaaaaa.0/2-bbbbbb/projectId/search'],
    ];
    const others = [
      ...['1-aaaaaa.1/ids0', 'patch:2-cccccc/all', 'waiting:3-dddddd/0', '1-aaaaaa.0/2-bbbbbb/name'],
      ...['1-aaaaaa.0/1-aaaaaa/projectId/search', '1-aaaaaa.0/1-aaaaaa/projectId.1'],
    ];
    expect([...named, ...others].filter(isNamed)).toEqual(named);
  });

  describe('filterNames', () => {
    const columns = { projectId: '2-bbbbbb', name: '1-aaaaaa' };
    const segment = makeSegment({ columns, buckets: { projectId: 3 } });
    const all = [0, 1, 2].map((bucket) => `1-aaaaaa.0/2-bbbbbb/projectId.${bucket}`);
    const isFirst = isOneOf('projectId', [first]);

    test('returns the bucket of a text', () => {
      expect(filterNames(segment, isFirst)).toEqual(
        [...groupByBucket([first], 3).keys()].map((bucket) => all[bucket]),
      );
      expect(filterNames(segment, isOneOf('name', [first]))).toEqual(['1-aaaaaa.0/1-aaaaaa/name']);
      expect(filterNames(segment, isOneOf('color', [first]))).toEqual([]);
    });

    test.each<[string, RowFilter]>([
      ['other texts', { ...isFirst, isNegated: true }],
      ['null', { ...isFirst, acceptsNull: true }],
      ['absent values', { ...isFirst, defaultValue: first }],
      ['a range of texts', { field: 'projectId', condition: { by: 'range', from: first, to: undefined } }],
    ])('returns all buckets for a filter that accepts %s', (_, filter) => {
      expect(filterNames(segment, filter)).toEqual(all);
    });
  });
});

describe('column', () => {
  test.each<[string, ColumnValue[]]>([
    ['no rows', []],
    ['absent values only', [undefined, undefined]],
    ['characters that share their first bytes', ['é', 'è', '\u{1F600}', '\u{1F601}']],
    ['a text of more bytes than two groups of seven bits hold', ['x'.repeat(20_000), 'x'.repeat(19_999)]],
    ['257 different values', Array.from({ length: 257 }, (_, row) => `text ${row}`)],
    ['65,537 different values', Array.from({ length: 65_537 }, (_, row) => `text ${row}`)],
  ])('is decoded as it was encoded: %s', (_, rows) => {
    const decoded = columnValues(decodeColumn(encodeColumn(buildColumn(rows))));
    // Faster than a matcher.
    expect(isDeepStrictEqual(decoded, rows)).toBe(true);
  });

  test('is not patched in a row that it does not have', () => {
    expect(() => patchColumn(buildColumn(['a']), new Map([[1, 'b']]))).toThrow('rows of its column');
  });

  test('is decoded as it was encoded, also with patched values', () => {
    fc.assert(
      fc.property(values, fc.array(fc.tuple(fc.nat({ max: 29 }), value)), (rows, changes) => {
        const patch = new Map(changes.filter(([row]) => row < rows.length));
        const expected = rows.map((one, row) => (patch.has(row) ? patch.get(row) : one));
        const column = patchColumn(buildColumn(rows), patch);
        expect(columnValues(column)).toEqual(expected);
        expect(columnValues(decodeColumn(encodeColumn(column)))).toEqual(expected);
      }),
      { numRuns },
    );
  });

  test('of 16,384 rows with three values takes less than half a byte for each row', () => {
    const rows = Array.from({ length: 16_384 }, (_, row) => String((row * row) % 3));
    expect(encodeColumn(buildColumn(rows)).length).toBeLessThan(16_384 / 2);
  });

  test('with a mark or with bytes that this release does not know throws UnknownFormat', () => {
    const bytes = inflateRawSync(encodeColumn(buildColumn(['a', 'b'])));
    expect(() => decodeColumn(deflateRawSync(Buffer.concat([bytes, Buffer.of(1)])))).toThrow(UnknownFormat);
    // After the numbers of rows and of texts.
    bytes[2] = 4;
    expect(() => decodeColumn(deflateRawSync(bytes))).toThrow(new UnknownFormat('A column has the mark 4.'));
  });
});

test('a dictionary has absent, null, and then the texts by code point, also when it is extended', () => {
  // The order of UTF-8 is that of code points.
  const inOrder = (all: readonly ColumnValue[]): ColumnValue[] => [
    ...[undefined, null].filter((special) => all.includes(special)),
    ...[...new Set(all)]
      .filter((one) => typeof one === 'string')
      .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
  ];
  fc.assert(
    fc.property(values, values, text, (all, more, wanted) => {
      const added = [...new Set(more)].filter((one) => !all.includes(one));
      const old = buildDictionary(all);
      const { dictionary, ordinals } = old.extend(added);
      const expected = inOrder([...all, ...added]);
      expect(expected.map((_, ordinal) => dictionary.at(ordinal))).toEqual(expected);
      expect(dictionary.size).toBe(expected.length);
      expect([wanted, ...all].map((one) => dictionary.ordinalOf(one))).toEqual(
        [wanted, ...all].map((one) => expected.indexOf(one)),
      );
      expect(Array.from(ordinals, (ordinal) => dictionary.at(ordinal))).toEqual(inOrder(all));
      const before = inOrder([...expected, wanted]).indexOf(wanted);
      expect(dictionary.positionOf(Buffer.from(wanted))).toBe(before);
    }),
    { numRuns },
  );
});

describe('ids', () => {
  test('are read by their positions, and found in their order', () => {
    const sorted = fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 20 }).map((ids) => ids.toSorted());
    fc.assert(
      fc.property(sorted, fc.uuid(), (ids, other) => {
        const encoded = encodeIds(ids);
        expect(encoded).toHaveLength(16 * ids.length);
        expect(ids.map((_, position) => idAt(encoded, position))).toEqual(ids);
        for (const wanted of [...ids, other]) {
          const last = ids.findLastIndex((one) => one <= wanted);
          expect(positionOfBoundary(encoded, wanted)).toBe(ids.filter((one) => one < wanted).length);
          expect(chunkOf(encoded, wanted)).toBe(Math.max(0, last));
        }
      }),
      { numRuns },
    );
  });

  test.each([0, 1, chunkRows, chunkRows + 1])('of %i rows are in chunks below half a read unit', (count) => {
    const ids = Array.from(
      { length: count },
      (_, row) => idOf(0).slice(0, -4) + String(row).padStart(4, '0'),
    );
    const { chunks, fence } = encodeIdChunks(ids);
    expect(Buffer.concat(chunks)).toEqual(encodeIds(ids));
    expect(fence).toEqual(encodeIds(ids.filter((_, row) => row % chunkRows === 0)));
    for (const { length } of chunks) expect(length).toBeLessThan(4_096 - 200);
  });
});

describe('manifest', () => {
  const segment = makeSegment({ columns: { name: '8-bbbbbb' }, patched: { $version: 5 } });
  const patch: Patch = { step: '8-bbbbbb', values: 900, bytes: 9_000, items: { $version: 1, name: 2 } };
  const waiting: WaitingItem = { name: 'waiting:9-dddddd/0', rows: 2, bytes: 40 };
  const manifest: Manifest = {
    version: 9,
    watermark: 70_000,
    segments: [segment],
    patches: [patch],
    waiting: [waiting],
  };
  const itemOf = (stored: Manifest) => ({ pk: 'acme#task#log', sk: '~', ...encodeManifest(stored) });

  test('names of patches are told from those of segments, whatever the number of the step', () => {
    const version = Number.parseInt('patch', 36);
    const id = newStepId(version);
    expect(sequenceOf(id)).toBe(version);
    expect(segmentNames({ ...segment, id: `${id}.0` }).filter(isPatchName)).toEqual([]);
    expect(isPatchName('patch:8-bbbbbb/name.0')).toBe(true);
  });

  test('is decoded as it was encoded', () => {
    for (const one of [manifest, emptyManifest]) expect(decodeManifest(itemOf(one))).toEqual(one);
  });

  test.each([
    ['format', { ...itemOf(manifest), format: 2 }],
    ['field', { ...itemOf(manifest), shards: 2 }],
    ['field of the state', itemOf({ ...manifest, shards: 2 } as Manifest)],
    ['field of a segment', itemOf({ ...manifest, segments: [{ ...segment, shards: 2 } as Segment] })],
    ['field of waiting rows', itemOf({ ...manifest, waiting: [{ ...waiting, shards: 2 } as WaitingItem] })],
    ['field of a patch', itemOf({ ...manifest, patches: [{ ...patch, shards: 2 } as Patch] })],
  ])('of an unknown %s throws UnknownFormat that names it', (_, item) => {
    expect(() => decodeManifest(item)).toThrow(UnknownFormat);
    expect(() => decodeManifest(item)).toThrow(/\(manifest\) (is 2|has the field "shards")/);
  });
});

describe('patch', () => {
  const entry: fc.Arbitrary<PatchEntry> = fc.tuple(
    fc.constantFrom('1.0', '1.1', '2.0'),
    fc.constantFrom('name', 'status'),
    fc.nat({ max: 20 }),
    value,
  );
  const entries = fc.array(entry, { maxLength: 30 });

  test('is decoded as it was encoded, also one field in several items', () => {
    fc.assert(
      fc.property(entries, (all) => {
        const stored = makePatchValues(...all);
        expect(decodePatch(encodePatch(stored))).toEqual(stored);
        const names = makePatchValues(...all.filter(([, field]) => field === 'name'));
        const items = encodePatchItems(stored, 'name', 100);
        expect(Math.max(...items.map(({ length }) => length))).toBeLessThanOrEqual(100);
        const decoded = items.map(decodePatch);
        expect(decoded.reduce((sum, one) => sum + countValues(one), 0)).toBe(countValues(names));
        for (const one of decoded)
          for (const [segmentId, fields] of one)
            for (const [row, kept] of fields.get('name') ?? [])
              expect(kept).toBe(names.get(segmentId)?.get('name')?.get(row));
      }),
      { numRuns },
    );
  });

  test('of one field is one item up to 368,640 bytes', () => {
    const patchOf = (text: string) => makePatchValues(['1.0', 'name', 0, text], ['1.0', 'name', 1, '']);
    const texts = textsAround(368_640, (text) => encodePatch(patchOf(text)));
    expect(texts.map((text) => encodePatchItems(patchOf(text), 'name').length)).toEqual([1, 2]);
  });

  test('is divided when equal long texts would inflate to more than can be read', () => {
    const words = 'x'.repeat(28_000);
    const values = makePatchValues(
      ...Array.from({ length: 1_200 }, (_, row): PatchEntry => ['1.0', '$words', row, words]),
    );
    const items = encodePatchItems(values, '$words');
    expect(items.map(decodePatch).reduce((sum, one) => sum + countValues(one), 0)).toBe(1_200);
  });

  test('has the newest values when it is merged, without those of columns and of segments that are gone', () => {
    const segments = ['1.0', '1.1'].map((id) =>
      makeSegment({ id, columns: { name: '1-aaaaaa', status: '3-aaaaaa' } }),
    );
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 4 }), (patches) => {
        const steps = patches.map((own, position) => ({
          patch: { step: `${position + 2}-aaaaaa`, values: 1, bytes: 30 },
          values: makePatchValues(...own),
        }));
        const left = patches.flatMap((own, position) =>
          own.filter(([id, field]) => id !== '2.0' && (field === 'name' || position + 2 > 3)),
        );
        expect(mergePatches(steps, segments)).toEqual(makePatchValues(...left));
      }),
      { numRuns },
    );
  });
});

test('an unknown value of a patch throws UnknownFormat', () => {
  const decode = () => decodePatch(encoded({ '1.0': { name: [[0], [1]] } }));
  expect(decode).toThrow(new UnknownFormat('A column has the value 1.'));
});

const encoded = (stored: unknown): Uint8Array => deflateRawSync(JSON.stringify(stored));

test('waiting rows are one item up to 368,640 bytes', () => {
  const rowsOf = (name: string) =>
    [{ name }, { name: '' }].map((after, row) => ({ id: idOf(row), version: 1, previousPosition: 0, after }));
  const texts = textsAround(368_640, (text) => deflate(encodeEntries(rowsOf(text), 0)));
  const items = texts.map((text) => {
    const rows = { added: rowsOf(text), waiting: 2, maxRowsOfOne: 2 };
    return addWaiting([], () => [], rows, '1-aaaaaa').items.size;
  });
  expect(items).toEqual([1, 2]);
});

describe('an index of words', () => {
  const word = fc.stringMatching(/^[ab計\u{20000}\u{20001}]{1,4}$/u);
  const rows = fc.array(fc.uniqueArray(word, { maxLength: 6 }), { minLength: 1, maxLength: 40 });

  test('has the words of each row, and the items that can have a beginning have all its words', () => {
    fc.assert(
      fc.property(rows, word, fc.integer({ min: 1, max: 60 }), (words, beginning, itemBytes) => {
        const values = words.map((own) => own.toSorted().join(' '));
        const [first, ...others] = encodeWordIndex(values, itemBytes, noLimit) as [Buffer, ...Buffer[]];
        const all = (others.length > 0 ? others : [first]).map((item) => inflate(item));
        expect(wordsOfRows(all, words.length, noLimit)).toEqual(values);
        const firstWords = others.length > 0 ? decodeFirstWords(first) : undefined;
        const items = firstWords
          ? itemsOfWord(firstWords, beginning).map((position) => all[position - 1] as Buffer)
          : all;
        const marked = new Uint8Array(words.length);
        markWord(marked, items, beginning);
        expect([...marked]).toEqual(words.map((own) => Number(own.some((one) => one.startsWith(beginning)))));
        if (firstWords) expect(firstWords).toHaveLength(others.length);
      }),
    );
  });

  test('of many words is read in part', () => {
    const values = Array.from({ length: 2_000 }, (_, row) => `word${row} other${row}`);
    const [first, ...others] = encodeWordIndex(values, 500, noLimit) as [Buffer, ...Buffer[]];
    expect(others.length).toBeGreaterThan(10);
    expect(itemsOfWord(decodeFirstWords(first), 'word1999').length).toBeLessThanOrEqual(2);
  });

  test.each([15, 35])('is encoded and decoded only while there is time: %i looks of 40', (left) => {
    const values = Array.from({ length: 2_000 }, (_, row) => `a${row} b${row}`);
    const looking = (looks: number) => () => {
      if (looks === 0) throw new RangeError('the time is over');
      looks -= 1;
    };
    const looks: number[] = [];
    const items = encodeWordIndex(values, 1_000, () => looks.push(1)).slice(1);
    expect([looks.length, items.length]).toEqual([40, 20]);
    expect(() => encodeWordIndex(values, 1_000, looking(left))).toThrow(RangeError);
    const inflated = items.map((item) => inflate(item));
    expect(() => wordsOfRows(inflated, values.length, looking(15))).toThrow(RangeError);
    expect(wordsOfRows(inflated, values.length, looking(items.length))).toEqual(values);
  });
});

describe('deleted-rows', () => {
  const dayMs = 86_400_000;

  test('a row is kept for 31 days', () => {
    const [deletedAt, endMs] = ['2026-02-03T04:05:06.789Z', Date.parse('2026-03-06T04:05:06.789Z')];
    expect([endMs - 1, endMs].map((nowMs) => isKept(deletedAt, nowMs))).toEqual([true, false]);
    expect(isKept(null, endMs)).toBe(false);
  });

  test('the rows of a week have expired when its last one has', () => {
    const endMs = (7 * 2_901 + 31) * dayMs;
    const countAt = (nowMs: number) => countExpired({ 0: 1, 2900: 2 }, nowMs);
    expect([countAt(endMs - 1), countAt(endMs)]).toEqual([1, 3]);
  });

  test('counts change by weeks', () => {
    expect(changeDeleted({ 1: 3, 2: 1 }, { added: [1, 3], removed: [1, 1, 2] })).toEqual({ 1: 2, 3: 1 });
  });
});
