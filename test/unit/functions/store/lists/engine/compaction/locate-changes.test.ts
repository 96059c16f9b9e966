import { locateChanges } from '#functions/store/lists/engine/compaction/locate-changes.ts';
import { emptyManifest } from '#functions/store/lists/engine/format/manifest.ts';
import { mergeRecords } from '#functions/store/lists/engine/merge-records.ts';
import { ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import { ColumnReader } from '#functions/store/lists/engine/read/column-reader.ts';
import type { LogRecord } from '#functions/store/model/change-log.ts';
import { idOf, LogBuilder, startMs } from '#test/support/log-builder.ts';

const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string];

let log: LogBuilder;

beforeEach(async () => {
  log = new LogBuilder();
  log.commit(startMs, { [a]: { name: 'a', color: null }, [c]: { name: 'c', color: null } });
  await log.compact(startMs + 1);
});

const columnReader = (): ColumnReader =>
  new ColumnReader(log.log.manifest ?? emptyManifest, log.log.open(), new ProcessMemory().of('acme', 'task'));

const locate = (...records: readonly LogRecord[]) => locateChanges(columnReader(), mergeRecords(records));

describe('locateChanges', () => {
  test('returns rows that no segment has, in the order of their ids', async () => {
    const record = log.build(startMs + 2, { [d]: { name: 'd' }, [b]: { name: 'b', color: 'red' } });
    expect(await locate(record)).toEqual({
      updates: new Map(),
      inserts: [
        { id: b, version: 1, values: { name: 'b', color: 'red' } },
        { id: d, version: 1, values: { name: 'd' } },
      ],
    });
  });

  test('returns the changed values of a row, and its version', async () => {
    const record = log.build(startMs + 2, { [c]: { name: 'c', color: 'red' } });
    const values = new Map([
      ['$version', '2'],
      ['color', 'red'],
    ]);
    expect(await locate(record)).toEqual({
      updates: new Map([[0, [{ row: 1, deleted: 0, values }]]]),
      inserts: [],
    });
  });

  test('returns all values of a row when an earlier change of it is late', async () => {
    log.build(startMs + 2, { [c]: { name: 'late', color: null } });
    const record = log.build(startMs + 3, { [c]: { name: 'late', color: 'red' } });
    const values = new Map([
      ['$version', '3'],
      ['name', 'late'],
      ['color', 'red'],
    ]);
    const update = { row: 1, deleted: 0, values };
    expect((await locate(record)).updates).toEqual(new Map([[0, [update]]]));
  });

  test('returns the version of the deletion, negated, for a deleted row', async () => {
    const record = log.build(startMs + 2, { [a]: undefined });
    const values = new Map([['$version', '-2']]);
    const update = { row: 0, deleted: 1, values };
    expect((await locate(record)).updates).toEqual(new Map([[0, [update]]]));
  });

  test('returns nothing for changes that the columns contain', async () => {
    expect(await locate(...log.log.records)).toEqual({ updates: new Map(), inserts: [] });
  });

  test('returns nothing for a row that was created and deleted', async () => {
    const created = log.build(startMs + 2, { [b]: { name: 'b' } });
    const deleted = log.build(startMs + 3, { [b]: undefined });
    expect(await locate(created, deleted)).toEqual({ updates: new Map(), inserts: [] });
  });

  test('returns nothing for changes of a row that is deleted in the columns', async () => {
    const changed = log.build(startMs + 2, { [a]: { name: 'late' } });
    log.commit(startMs + 3, { [a]: undefined });
    await log.compact(startMs + 4, { maxShareOfColumn: 1 });
    expect(await locate(changed)).toEqual({ updates: new Map(), inserts: [] });
  });

  test('returns all values of a deleted row that is restored, and that one row less is deleted', async () => {
    log.commit(startMs + 2, { [a]: undefined });
    await log.compact(startMs + 3, { maxShareOfColumn: 1 });
    const record = log.build(startMs + 4, { [a]: { name: 'a', color: null } });
    const values = new Map([
      ['$version', '3'],
      ['name', 'a'],
      ['color', null],
    ]);
    expect(await locate(record)).toEqual({
      updates: new Map([[0, [{ row: 0, deleted: -1, values }]]]),
      inserts: [],
    });
  });

  test('returns a restored row as a new one when no segment has it any more', async () => {
    log.commit(startMs + 2, { [a]: undefined, [b]: { name: 'b', color: null } });
    await log.compact(startMs + 3);
    expect(log.log.manifest?.segments).toEqual([expect.objectContaining({ rows: 2, deleted: 0 })]);
    const record = log.build(startMs + 4, { [a]: { name: 'a' } });
    expect(await locate(record)).toEqual({
      updates: new Map(),
      inserts: [{ id: a, version: 3, values: { name: 'a' } }],
    });
  });

  test('counts a row once as deleted that is restored and deleted again', async () => {
    log.commit(startMs + 2, { [a]: undefined });
    await log.compact(startMs + 3, { maxShareOfColumn: 1 });
    const restored = log.build(startMs + 4, { [a]: { name: 'a' } });
    const deleted = log.build(startMs + 5, { [a]: undefined });
    const update = { row: 0, deleted: 0, values: new Map([['$version', '-4']]) };
    expect((await locate(restored, deleted)).updates).toEqual(new Map([[0, [update]]]));
  });
});
