import { randomBytes } from 'node:crypto';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { mergeRecords } from '#functions/store/lists/engine/merge-records.ts';
import { addNewestStamps } from '#functions/store/lists/engine/newest-stamps.ts';
import type { LogWriter } from '#functions/store/lists/engine/storage.ts';
import { decodeRecord, type LogRecord, recordWrites } from '#functions/store/model/change-log.ts';
import type { Item, Write } from '#functions/store/model/writes.ts';
import { MemoryLog } from '#test/simulation/memory-log.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';
import { makeManifest } from '#test/support/segments.ts';

test('merge-records mergeRecords has no row before a creation and none after a deletion, in any order of the records', () => {
  const records = [undefined, { name: '1' }, { name: '2' }].map((before, previousStamp, rows) => ({
    key: String(previousStamp),
    stamp: previousStamp + 1,
    entries: [{ id: 'a', version: previousStamp + 1, previousStamp, before, after: rows[previousStamp + 1] }],
  }));
  const merged = { id: 'a', from: 0, to: 3, previousStamp: 0, before: undefined, after: undefined };
  for (const all of [records, records.toReversed()]) expect(mergeRecords(all).get('a')).toEqual(merged);
});

test('newest-stamps addNewestStamps has the newest record of each life', () => {
  const record = (stamp: number, lifeDays?: number): LogRecord => ({ key: '', stamp, lifeDays, entries: [] });
  expect(addNewestStamps({}, [record(3), record(5), record(4)])).toEqual({ 30: 5 });
  expect(addNewestStamps({ 7: 5 }, [record(6, 400), record(2, 7)])).toEqual({ 7: 5, 400: 6 });
});

describe('storage', () => {
  /** What the list engine relies on, of the log in the table and of the one that the simulation uses. */

  const nowMs = 1_770_000_000_000;
  let store: TestStore;

  beforeAll(async () => {
    store = await startTestStore();
  });

  afterAll(() => store.stop());

  /** Returns a log, and how a transaction writes to it. */
  function tableLog(tenant: string) {
    const database = store.database();
    return {
      writer: openLog(database, tenant, 'task'),
      commit: (writes: readonly Write[]) => database.transact(writes),
    };
  }

  function memoryLog() {
    const log = new MemoryLog();
    const commit = async (writes: readonly Write[]) => {
      for (const write of writes) log.add(decodeRecord((write as { put: Item }).put));
    };
    return { writer: log.open() as LogWriter, commit };
  }

  /** The writes of a transaction that creates a task. */
  const creation = (tenant: string, stamp: number, name: string): Write[] => {
    const time = '2026-01-01T00:00:00.000Z';
    const id = '01890000-0000-7000-8000-000000000001';
    const entity = { id, name, status: 'open', createdAt: time, updatedAt: time };
    return recordWrites(tenant, [{ after: { kind: 'task', version: 1, entity } }], nowMs + stamp);
  };

  const stampsOf = (records: readonly LogRecord[]): number[] => records.map(({ stamp }) => stamp - nowMs);

  test.each([
    ['the table', tableLog],
    ['memory', memoryLog],
  ])(
    'a log in %s readHead returns the records above a stamp, the latest first, and the first manifest',
    async (name, open) => {
      const { writer, commit } = open(name);
      for (const stamp of [5, 1, 3, 2, 4]) await commit(creation(name, stamp, `name ${stamp}`));
      const { manifest, records } = await writer.readHead(nowMs + 2);
      expect([manifest, stampsOf(records)]).toEqual([undefined, [5, 4, 3]]);
      expect(records[0]?.entries[0]?.after?.['name']).toBe('name 5');
      expect(await writer.replaceManifest(makeManifest({ watermark: 1 }))).toBe(true);
      expect(await writer.replaceManifest(makeManifest({ watermark: 2 }))).toBe(false);
      expect((await writer.readHead(0)).manifest).toEqual(makeManifest({ watermark: 1 }));
    },
  );

  test('the log in the table is read in pages when it has more than one page of 1 MB', async () => {
    const { writer, commit } = tableLog('large');
    const stamps = Array.from({ length: 24 }, (_, place) => place + 1);
    await writer.replaceManifest(makeManifest());
    // Random names cannot be compressed.
    for (const stamp of stamps)
      await commit(creation('large', stamp, randomBytes(45_000).toString('base64')));
    const { manifest, records } = await writer.readHead(nowMs);
    expect([manifest, stampsOf(records)]).toEqual([makeManifest(), stamps.toReversed()]);
    const pages: { records: readonly LogRecord[]; hasMore: boolean }[] = [];
    for await (const page of writer.oldestRecords(nowMs, nowMs + 100)) pages.push(page);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flatMap((page) => page.records)).toEqual(records.toReversed());
    expect(pages.map(({ hasMore }) => hasMore)).toEqual([...Array(pages.length - 1).fill(true), false]);
  });
});
