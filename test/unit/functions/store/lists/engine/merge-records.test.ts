import fc from 'fast-check';
import { mergeRecords } from '#functions/store/lists/engine/merge-records.ts';
import type { LogRecord } from '#functions/store/model/change-log.ts';
import type { LogEntry } from '#functions/store/model/log-entry.ts';
import type { Row } from '#functions/store/model/row.ts';

const recordOf = (stamp: number, ...entries: LogEntry[]): LogRecord => ({
  key: String(stamp),
  stamp,
  entries,
});

/** Returns the entries of an entity's changes. Version 0 is before its creation. */
const entriesOf = (id: string, rows: readonly (Row | undefined)[], firstVersion = 1): LogEntry[] =>
  rows.slice(1).map((after, position) => ({
    id,
    version: firstVersion + position,
    previousStamp: firstVersion + position - 1,
    before: rows[position],
    after,
  }));

describe('mergeRecords', () => {
  test('returns no changes for no records', () => {
    expect(mergeRecords([])).toEqual(new Map());
  });

  test('returns a single change as it is', () => {
    const [entry] = entriesOf('a', [{ name: '1' }, { name: '2' }], 7) as [LogEntry];
    expect(mergeRecords([recordOf(7, entry)])).toEqual(
      new Map([
        ['a', { id: 'a', from: 6, to: 7, previousStamp: 6, before: { name: '1' }, after: { name: '2' } }],
      ]),
    );
  });

  test('returns the row before the lowest version and the row after the highest one', () => {
    const [one, two, three] = entriesOf(
      'a',
      [{ name: '1' }, { name: '2' }, { name: '3' }, { name: '4' }],
      5,
    ) as [LogEntry, LogEntry, LogEntry];
    const merged = { id: 'a', from: 4, to: 7, previousStamp: 4, before: { name: '1' }, after: { name: '4' } };
    expect(mergeRecords([recordOf(6, two), recordOf(7, three), recordOf(5, one)])).toEqual(
      new Map([['a', merged]]),
    );
  });

  test('has no row before a creation and none after a deletion', () => {
    const entries = entriesOf('a', [undefined, { name: '1' }, undefined]);
    expect(mergeRecords(entries.map((entry) => recordOf(entry.version, entry))).get('a')).toEqual({
      id: 'a',
      from: 0,
      to: 2,
      previousStamp: 0,
      before: undefined,
      after: undefined,
    });
  });

  test('returns the same for any order of the records, also when some of them are there twice', () => {
    const rows = (name: string, count: number): Row[] =>
      Array.from({ length: count }, (_, version) => ({ name: `${name}${version}` }));
    const entries = [
      ...entriesOf('a', rows('a', 6), 3),
      ...entriesOf('b', [undefined, ...rows('b', 3)]),
      ...entriesOf('c', [...rows('c', 3), undefined], 9),
    ];
    const records = entries.map((entry) => recordOf(entry.version, entry));
    const expected = {
      a: { id: 'a', from: 2, to: 7, previousStamp: 2, before: { name: 'a0' }, after: { name: 'a5' } },
      b: { id: 'b', from: 0, to: 3, previousStamp: 0, before: undefined, after: { name: 'b2' } },
      c: { id: 'c', from: 8, to: 11, previousStamp: 8, before: { name: 'c0' }, after: undefined },
    };
    const disordered = fc
      .tuple(fc.shuffledSubarray(records, { minLength: records.length }), fc.subarray(records))
      .map(([all, twice]) => [...all, ...twice]);
    fc.assert(
      fc.property(disordered, (all) => {
        expect(Object.fromEntries(mergeRecords(all))).toEqual(expected);
      }),
    );
  });
});
