import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import type { ColumnValue } from '#functions/store/lists/engine/format/dictionary.ts';
import type { Patch } from '#functions/store/lists/engine/format/manifest.ts';
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
import { UnknownFormat } from '#functions/store/model/errors.ts';
import { anyCharacter } from '#test/support/any-character.ts';
import { makePatchValues, makeSegment, type PatchEntry } from '#test/support/segments.ts';

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
  const values = makePatchValues(['1.0', 'name', 3, 'a'], ['1.0', 'status', 3, 'b'], ['2.0', 'name', 3, 'c']);
  expect(columnPatchOf(values, '1.0', 'name')).toEqual(new Map([[3, 'a']]));
  expect(columnPatchOf(values, '1.0', 'color')).toEqual(new Map());
  expect(columnPatchOf(values, '3.0', 'name')).toEqual(new Map());
  expect(columnPatchOf(undefined, '1.0', 'name')).toEqual(new Map());
});

test('countValues and fieldsOf tell the number of values and their fields', () => {
  const values = makePatchValues(['1.0', 'name', 3, 'a'], ['1.0', 'status', 3, 'b'], ['2.0', 'name', 3, 'c']);
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
