import fc from 'fast-check';
import type { ColumnValue } from '#functions/store/lists/engine/format/dictionary.ts';
import type { Run } from '#functions/store/lists/engine/format/manifest.ts';
import {
  countValues,
  decodeRun,
  encodeRun,
  encodeRunItems,
  fieldsOf,
  isNewerThan,
  mergeRuns,
  patchOf,
  type RunValues,
  setValue,
} from '#functions/store/lists/engine/format/run.ts';
import { anyCharacter } from '#test/support/any-character.ts';
import { makeRunValues, makeSegment, type RunEntry } from '#test/support/segments.ts';

const entriesOf = (values: RunValues): RunEntry[] =>
  [...values].flatMap(([segmentId, fields]) =>
    [...fields].flatMap(([field, patch]) =>
      [...patch].map(([row, value]): RunEntry => [segmentId, field, row, value]),
    ),
  );

const value: fc.Arbitrary<ColumnValue> = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 5 }).filter((text) => text.isWellFormed()),
  fc.constantFrom(null, undefined, '', '0'),
);

const entry: fc.Arbitrary<RunEntry> = fc.tuple(
  fc.constantFrom('1.0', '1.1', '2.0'),
  fc.constantFrom('name', 'status'),
  fc.nat({ max: 20 }),
  value,
);

const entries = fc.array(entry, { maxLength: 30 });

const runOf = (step: string): Run => ({ step, values: 1 });

describe('setValue', () => {
  test('replaces the value that was set before', () => {
    const values = makeRunValues(['1.0', 'name', 3, 'a'], ['1.0', 'name', 3, 'b'], ['1.0', 'name', 4, null]);
    expect(entriesOf(values)).toEqual([
      ['1.0', 'name', 3, 'b'],
      ['1.0', 'name', 4, null],
    ]);
  });
});

test('patchOf returns the values of one field of a segment', () => {
  const values = makeRunValues(['1.0', 'name', 3, 'a'], ['1.0', 'status', 3, 'b'], ['2.0', 'name', 3, 'c']);
  expect(patchOf(values, '1.0', 'name')).toEqual(new Map([[3, 'a']]));
  expect(patchOf(values, '1.0', 'color')).toEqual(new Map());
  expect(patchOf(values, '3.0', 'name')).toEqual(new Map());
  expect(patchOf(undefined, '1.0', 'name')).toEqual(new Map());
});

test('countValues and fieldsOf tell the number of values and their fields', () => {
  const values = makeRunValues(['1.0', 'name', 3, 'a'], ['1.0', 'status', 3, 'b'], ['2.0', 'name', 3, 'c']);
  expect(countValues(values)).toBe(3);
  expect(fieldsOf(values)).toEqual(['name', 'status']);
  expect(countValues(new Map())).toBe(0);
});

describe('a decoded run', () => {
  test('has the values of the encoded one, in the order of the rows', () => {
    fc.assert(
      fc.property(entries, (all) => {
        const values = makeRunValues(...all);
        const decoded = decodeRun(encodeRun(values));
        expect(decoded).toEqual(values);
        for (const fields of decoded.values()) {
          for (const patch of fields.values()) {
            expect([...patch.keys()]).toEqual([...patch.keys()].sort((one, other) => one - other));
          }
        }
      }),
    );
  });

  test('has the values of one field when only this field was encoded', () => {
    const values = makeRunValues(
      ['1.0', 'name', 3, 'a'],
      ['1.0', 'status', 3, 'b'],
      ['2.0', 'status', 1, undefined],
    );
    expect(entriesOf(decodeRun(encodeRun(values, 'status')))).toEqual([
      ['1.0', 'status', 3, 'b'],
      ['2.0', 'status', 1, undefined],
    ]);
  });
});

describe('encodeRunItems', () => {
  test('returns one item when it is small enough', () => {
    const values = makeRunValues(['1.0', 'name', 3, 'a'], ['1.0', 'status', 3, 'b']);
    expect(encodeRunItems(values, 'name')).toEqual([encodeRun(values, 'name')]);
  });

  test('divides the values among items that are not too large', () => {
    fc.assert(
      fc.property(entries, (all) => {
        const values = makeRunValues(...all);
        const items = encodeRunItems(values, 'name', 100);
        expect(Math.max(...items.map(({ length }) => length))).toBeLessThanOrEqual(100);
        const decoded = items.flatMap((item) => entriesOf(decodeRun(item)));
        expect(decoded).toHaveLength(countValues(decodeRun(encodeRun(values, 'name'))));
        expect(makeRunValues(...decoded)).toEqual(decodeRun(encodeRun(values, 'name')));
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
  ])('returns %j for the run %s and the field %s', (isNewer, step, field) => {
    expect(isNewerThan(runOf(step), segment, field)).toBe(isNewer);
  });
});

describe('mergeRuns', () => {
  const all = { name: '1-aaaaaa', status: '1-aaaaaa' };

  test('returns of each value that of the newest run', () => {
    const merged = mergeRuns(
      [
        { run: runOf('2-aaaaaa'), values: makeRunValues(['1.0', 'name', 1, 'a'], ['1.0', 'name', 2, 'b']) },
        { run: runOf('3-aaaaaa'), values: makeRunValues(['1.0', 'name', 2, 'c'], ['1.0', 'status', 2, 'd']) },
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
    const values = makeRunValues(['1.0', 'name', 1, 'a'], ['1.1', 'name', 1, 'b']);
    const merged = mergeRuns(
      [{ run: runOf('2-aaaaaa'), values }],
      [makeSegment({ id: '1.1', columns: all })],
    );
    expect(entriesOf(merged)).toEqual([['1.1', 'name', 1, 'b']]);
  });

  test('leaves out values that the columns contain', () => {
    const segment = makeSegment({ id: '1.0', columns: { name: '3-aaaaaa', status: '2-aaaaaa' } });
    const values = makeRunValues(['1.0', 'name', 1, 'a'], ['1.0', 'status', 1, 'b']);
    const merged = mergeRuns([{ run: runOf('3-aaaaaa'), values }], [segment]);
    expect(entriesOf(merged)).toEqual([['1.0', 'status', 1, 'b']]);
  });

  test('returns what setting all values in the order of the runs returns', () => {
    const segments = ['1.0', '1.1', '2.0'].map((id) => makeSegment({ id, columns: all }));
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 4 }), (runs) => {
        const merged = mergeRuns(
          runs.map((own, position) => ({
            run: runOf(`${position + 2}-aaaaaa`),
            values: makeRunValues(...own),
          })),
          segments,
        );
        expect(merged).toEqual(makeRunValues(...runs.flat()));
      }),
    );
  });

  test('leaves the runs as they are', () => {
    const values = makeRunValues(['1.0', 'name', 1, 'a']);
    const merged = mergeRuns(
      [{ run: runOf('2-aaaaaa'), values }],
      [makeSegment({ id: '1.0', columns: all })],
    );
    setValue(merged, '1.0', 'name', [1, 'b']);
    expect(entriesOf(values)).toEqual([['1.0', 'name', 1, 'a']]);
  });
});
