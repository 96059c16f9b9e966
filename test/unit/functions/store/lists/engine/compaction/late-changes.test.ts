import { lateRecords } from '#functions/store/lists/engine/compaction/late-changes.ts';
import { emptyManifest } from '#functions/store/lists/engine/format/manifest.ts';
import { ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import { ColumnReader } from '#functions/store/lists/engine/read/column-reader.ts';
import type { LogRecord } from '#functions/store/model/change-log.ts';
import { idOf, LogBuilder, startMs } from '#test/support/log-builder.ts';

const [a, b, c] = [1, 2, 3].map(idOf) as [string, string, string];

/** The watermark of the manifest. */
const watermark = startMs + 10;

let log: LogBuilder;

beforeEach(async () => {
  log = new LogBuilder();
  log.commit(startMs, { [a]: { name: 'a', color: null }, [c]: { name: 'c', color: null } });
  await log.compact(startMs + 1);
});

/** Returns the ids of the late entries of each record. @param versions of the entities that exist. */
async function lateIds(records: readonly LogRecord[], versions: Readonly<Record<string, number>>) {
  const memory = new ProcessMemory().of('acme', 'task');
  const manifest = { ...(log.log.manifest ?? emptyManifest), watermark };
  const reader = log.log.open();
  const columnReader = new ColumnReader(manifest, reader, memory);
  const readVersions = async () => new Map(Object.entries(versions));
  const found = await lateRecords(columnReader, reader, { records, readVersions });
  return found.map(({ entries }) => entries.map(({ id }) => id));
}

test('returns no records that were absorbed', async () => {
  log.commit(startMs + 2, { [a]: { name: 'a2', color: null }, [b]: { name: 'b' }, [c]: undefined });
  await log.compact(startMs + 3);
  expect(await lateIds(log.log.records, { [a]: 2, [b]: 1 })).toEqual([]);
  expect(await lateIds([], {})).toEqual([]);
});

test('returns no records of out-of-order rows that were absorbed', async () => {
  log.commit(startMs + 2, { [b]: { name: 'b' } });
  await log.compact(startMs + 60_000, { minShareOfOutOfOrder: 2 });
  expect(log.log.manifest?.outOfOrder).toHaveLength(1);
  expect(await lateIds(log.log.records, { [b]: 1 })).toEqual([]);
});

test.each([
  ['a change', { [a]: { name: 'late' } }, { [a]: 2 }],
  ['a change before the last one', { [a]: { name: 'late' } }, { [a]: 3 }],
  ['a creation', { [b]: { name: 'late' } }, { [b]: 1 }],
  ['a deletion', { [a]: undefined }, {}],
])('returns %s that was not absorbed', async (_, rows, versions) => {
  expect(await lateIds([log.build(startMs + 2, rows)], versions)).toEqual([Object.keys(rows)]);
});

test.each([
  ['the change of an entity that was deleted since', { [a]: { name: 'late' } }, {}],
  ['the creation of an entity that was deleted since', { [b]: { name: 'late' } }, {}],
  ['a change that the table does not have', { [a]: { name: 'late' } }, { [a]: 1 }],
  ['the deletion of an entity that exists', { [a]: undefined }, { [a]: 1 }],
])('does not return %s', async (_, rows, versions) => {
  expect(await lateIds([log.build(startMs + 2, rows)], versions)).toEqual([]);
});

test('returns of a record only the entries of rows that were not absorbed', async () => {
  const late = log.build(startMs + 2, { [a]: { name: 'late' }, [c]: { name: 'late' } });
  log.commit(startMs + 3, { [c]: { name: 'c3' } });
  await log.compact(startMs + 4);
  expect(await lateIds([late], { [a]: 2, [c]: 3 })).toEqual([[a]]);
});

test('returns no record above the watermark: it is pending', async () => {
  expect(await lateIds([log.build(watermark + 1, { [b]: { name: 'b' } })], { [b]: 1 })).toEqual([]);
});

describe('while a change is pending', () => {
  const [before, after] = [
    { name: 'a', color: null },
    { name: 'late', color: null },
  ];
  const late = (version: number): LogRecord => {
    const entries = [{ id: a, version, previousStamp: startMs, before, after }];
    return { key: 'r#late', stamp: startMs + 2, entries };
  };

  test.each([
    ['changes', { name: 'pending', color: null }, { [a]: 2 }],
    ['deletes', undefined, {}],
  ])(
    'does not return one that the table does not have when the pending one %s the entity: both made the same version',
    async (_, row, versions) => {
      log.commit(watermark + 1, { [a]: row });
      expect(await lateIds([late(2)], versions)).toEqual([]);
    },
  );

  test('returns one that was lost after the pending one', async () => {
    log.commit(watermark + 1, { [a]: { name: 'pending', color: null } });
    expect(await lateIds([late(3)], { [a]: 3 })).toEqual([[a]]);
  });
});

describe('of an entity that was deleted and restored', () => {
  /** Makes the deletion and the restore of a row. The watermark is between the two. */
  const restore = (): void => {
    log.commit(startMs + 2, { [a]: undefined, [b]: { name: 'b', color: null } });
    log.commit(watermark + 1, { [a]: { name: 'restored', color: null } });
  };

  test('does not return the change before the deletion, also when the row is gone and the restore is pending', async () => {
    const [first] = log.log.records;
    restore();
    await log.compact(startMs + 3);
    expect(log.log.manifest?.segments).toEqual([expect.objectContaining({ rows: 2, deleted: 0 })]);
    expect(await lateIds(first ? [first] : [], { [a]: 3, [b]: 1, [c]: 1 })).toEqual([]);
  });

  test('returns the deletion that was not absorbed, while the restore is pending', async () => {
    restore();
    const [, deletion] = log.log.records;
    expect(await lateIds(deletion ? [deletion] : [], { [a]: 3, [b]: 1, [c]: 1 })).toEqual([[a, b]]);
  });
});
