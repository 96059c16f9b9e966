import { lateRecords } from '#functions/store/lists/engine/compaction/late-records.ts';
import { emptyManifest } from '#functions/store/lists/engine/format/manifest.ts';
import { mergeRecords } from '#functions/store/lists/engine/merge-records.ts';
import { ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import { ColumnReader } from '#functions/store/lists/engine/read/column-reader.ts';
import { idOf, LogBuilder, startMs } from '#test/support/log-builder.ts';

const [a, b, c] = [1, 2, 3].map(idOf) as [string, string, string];

let log: LogBuilder;

beforeEach(async () => {
  log = new LogBuilder();
  log.commit(startMs, { [a]: { name: 'a', color: null }, [c]: { name: 'c', color: null } });
  await log.compact(startMs + 1);
});

const columnReader = (): ColumnReader =>
  new ColumnReader(log.log.manifest ?? emptyManifest, log.log.open(), new ProcessMemory().of('acme', 'task'));

describe('lateRecords', () => {
  test('returns no records that were absorbed', async () => {
    log.commit(startMs + 2, { [a]: { name: 'a2', color: null }, [b]: { name: 'b' }, [c]: undefined });
    await log.compact(startMs + 3);
    expect(await lateRecords(columnReader(), log.log.records)).toEqual([]);
    expect(await lateRecords(columnReader(), [])).toEqual([]);
  });

  test.each([
    ['a change', { [a]: { name: 'late' } }],
    ['a creation', { [b]: { name: 'late' } }],
    ['a deletion', { [a]: undefined }],
  ])('returns the record of %s that was not absorbed', async (_, rows) => {
    const late = log.build(startMs + 2, rows);
    const [id] = Object.keys(rows) as [string];
    const records = [...log.log.records, late];
    const found = await lateRecords(columnReader(), records);
    expect(mergeRecords(found).get(id)).toEqual(mergeRecords(records).get(id));
    expect([...mergeRecords(found).keys()]).toEqual([id]);
  });

  test('returns no record of a row that was created late and is deleted since', async () => {
    const late = log.build(startMs + 2, { [b]: { name: 'late' } });
    const deletion = log.build(startMs + 3, { [b]: undefined });
    expect(await lateRecords(columnReader(), [late, deletion])).toEqual([]);
  });

  test('returns of a record only the entries of rows that were not absorbed', async () => {
    const late = log.build(startMs + 2, { [a]: { name: 'late' }, [c]: { name: 'late' } });
    log.commit(startMs + 3, { [c]: { name: 'c3' } });
    await log.compact(startMs + 4);
    const found = await lateRecords(columnReader(), [late]);
    expect(found.map(({ entries }) => entries.map(({ id }) => id))).toEqual([[a]]);
  });
});
