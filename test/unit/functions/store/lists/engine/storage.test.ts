import { randomBytes } from 'node:crypto';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import type { LogWriter } from '#functions/store/lists/engine/storage.ts';
import { decodeRecord, type LogRecord, recordWrites } from '#functions/store/model/change-log.ts';
import type { Item, Write } from '#functions/store/model/writes.ts';
import { MemoryLog } from '#test/simulation/memory-log.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';
import { makeManifest } from '#test/support/segments.ts';

/** What the list engine relies on, of the log in the table and of the one that the simulation uses. */

const nowMs = 1_770_000_000_000;

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

/** A log, and how a transaction writes to it. */
interface TestLog {
  readonly writer: LogWriter;
  commit(writes: readonly Write[]): Promise<void>;
}

async function all<Page>(pages: AsyncIterable<Page>): Promise<Page[]> {
  const read: Page[] = [];
  for await (const page of pages) read.push(page);
  return read;
}

let tenants = 0;

/** All calls of a log in one test share this time. A busy machine needs more than a request has. */
const maxLogMs = 100_000;

function tableLog(): TestLog {
  tenants += 1;
  const tenant = `tenant-${tenants}`;
  const database = store.database(maxLogMs);
  return {
    writer: openLog(database, tenant, 'task'),
    commit: (writes) =>
      database.transact(
        writes.map((write) => {
          const { put, condition } = write as { put: Item; condition: { expression: string } };
          return { put: { ...put, pk: put.pk.replace('acme', tenant) }, condition };
        }),
      ),
  };
}

function memoryLog(): TestLog {
  const log = new MemoryLog();
  return {
    writer: log.open(),
    commit: async (writes) => {
      for (const write of writes) {
        const { put } = write as { put: Item };
        log.add(decodeRecord(put));
      }
    },
  };
}

/** The writes of a transaction that creates a task. */
const creation = (stamp: number, name: string): Write[] => {
  const time = '2026-01-01T00:00:00.000Z';
  const id = '01890000-0000-7000-8000-000000000001';
  const entity = { id, name, status: 'open', createdAt: time, updatedAt: time };
  return recordWrites('acme', [{ after: { kind: 'task', version: 1, entity } }], stamp);
};

const stampsOf = (records: readonly LogRecord[]): number[] => records.map(({ stamp }) => stamp - nowMs);

describe.each([
  ['the table', tableLog],
  ['memory', memoryLog],
])('a log in %s', (_, openTestLog) => {
  let log: TestLog;
  let writer: LogWriter;

  beforeEach(async () => {
    log = openTestLog();
    writer = log.writer;
    for (const stamp of [5, 1, 3, 2, 4]) await log.commit(creation(nowMs + stamp, `name ${stamp}`));
  });

  describe('readHead', () => {
    test('returns the records above a stamp, the latest first', async () => {
      const { manifest, records } = await writer.readHead(nowMs + 2);
      expect(manifest).toBeUndefined();
      expect(stampsOf(records)).toEqual([5, 4, 3]);
      expect(records[0]?.entries[0]?.after?.['name']).toBe('name 5');
    });

    test('returns the manifest', async () => {
      await writer.replaceManifest(makeManifest({ watermark: nowMs }));
      const { manifest, records } = await writer.readHead(nowMs + 5);
      expect(manifest).toEqual(makeManifest({ watermark: nowMs }));
      expect(records).toEqual([]);
    });
  });

  test('readRecords returns the records above one stamp and not above another, the latest first', async () => {
    expect(stampsOf(await writer.readRecords(nowMs + 1, nowMs + 4))).toEqual([4, 3, 2]);
    expect(await writer.readRecords(nowMs + 5, nowMs + 100)).toEqual([]);
  });

  test('readRecords returns at least as many records as wanted, the latest ones', async () => {
    const stamps = stampsOf(await writer.readRecords(nowMs, nowMs + 5, 3));
    expect(stamps.length).toBeGreaterThanOrEqual(3);
    expect(stamps).toEqual([5, 4, 3, 2, 1].slice(0, stamps.length));
  });

  test('oldestRecords returns the records above one stamp and not above another, the oldest first', async () => {
    const pages = await all(writer.oldestRecords(nowMs + 1, nowMs + 4));
    expect(pages.map(({ records, hasMore }) => [stampsOf(records), hasMore])).toEqual([[[2, 3, 4], false]]);
  });

  test('remainingMs returns the time that is left', () => {
    expect(writer.remainingMs()).toBeGreaterThan(0);
  });

  describe('items', () => {
    const bytes = (text: string): Uint8Array => Buffer.from(text);

    beforeEach(async () => {
      await writer.putItems(
        new Map([
          ['1-aaaaaa.0/ids1', bytes('b')],
          ['1-aaaaaa.0/1-aaaaaa/name', bytes('c')],
          ['1-aaaaaa.0/ids0', bytes('a')],
          ['1-aaaaaa.01/ids0', bytes('d')],
        ]),
      );
    });

    test.each([true, false])('are read by their names (isConsistent: %j)', async (isConsistent) => {
      const items = await writer.readItems(['1-aaaaaa.0/1-aaaaaa/name', '1-aaaaaa.0/ids2'], isConsistent);
      expect([...items].map(([name, value]) => [name, Buffer.from(value).toString()])).toEqual([
        ['1-aaaaaa.0/1-aaaaaa/name', 'c'],
      ]);
    });

    test.each([true, false])('are read by column (isConsistent: %j)', async (isConsistent) => {
      await writer.putItems(
        new Map([
          ['1-aaaaaa.0/1-aaaaaa/userId.0', bytes('e')],
          ['1-aaaaaa.0/1-aaaaaa/userId.1', bytes('f')],
          ['1-aaaaaa.0/1-aaaaaa/userId', bytes('g')],
          ['1-aaaaaa.0/2-aaaaaa/userId.0', bytes('h')],
          ['2-aaaaaa.0/1-aaaaaa/userId.0', bytes('i')],
        ]),
      );
      const items = await writer.readBuckets('1-aaaaaa.0/1-aaaaaa/userId', isConsistent);
      expect([...items].map(([name, value]) => [name, Buffer.from(value).toString()])).toEqual([
        ['1-aaaaaa.0/1-aaaaaa/userId.0', 'e'],
        ['1-aaaaaa.0/1-aaaaaa/userId.1', 'f'],
      ]);
    });

    test('are listed by partition, in the order of their names', async () => {
      const all = await writer.listItems('1-aaaaaa.0', 10);
      expect([...all.keys()]).toEqual(['1-aaaaaa.0/1-aaaaaa/name', '1-aaaaaa.0/ids0', '1-aaaaaa.0/ids1']);
      expect([...(await writer.listItems('1-aaaaaa.0', 2)).keys()]).toEqual([...all.keys()].slice(0, 2));
      expect(await writer.listItems('2-aaaaaa.0', 10)).toEqual(new Map());
    });

    test('are deleted, also twice', async () => {
      await writer.deleteItems(['1-aaaaaa.0/ids0', '1-aaaaaa.0/ids1']);
      await writer.deleteItems(['1-aaaaaa.0/ids0']);
      expect([...(await writer.listItems('1-aaaaaa.0', 10)).keys()]).toEqual(['1-aaaaaa.0/1-aaaaaa/name']);
    });
  });

  describe('replaceManifest', () => {
    test('writes the first manifest when there is none', async () => {
      expect(await writer.replaceManifest(makeManifest({ watermark: 1 }))).toBe(true);
      expect(await writer.replaceManifest(makeManifest({ watermark: 2 }))).toBe(false);
      expect((await writer.readHead(0)).manifest).toEqual(makeManifest({ watermark: 1 }));
    });

    test('writes a manifest when its version is the next one', async () => {
      expect(await writer.replaceManifest(makeManifest({ version: 2 }))).toBe(false);
      await writer.replaceManifest(makeManifest());
      expect(await writer.replaceManifest(makeManifest({ version: 3 }))).toBe(false);
      expect(await writer.replaceManifest(makeManifest({ version: 2, watermark: 7 }))).toBe(true);
      expect(await writer.replaceManifest(makeManifest({ version: 2, watermark: 8 }))).toBe(false);
      expect((await writer.readHead(0)).manifest).toEqual(makeManifest({ version: 2, watermark: 7 }));
    });
  });
});

describe('the log in the table', () => {
  test('is not that of another tenant or kind', async () => {
    const { writer } = tableLog();
    const others = [openLog(store.database(), `tenant-${tenants}`, 'project'), tableLog().writer];
    await writer.replaceManifest(makeManifest());
    await writer.putItems(new Map([['1-aaaaaa.0/ids0', Buffer.from('a')]]));
    for (const other of others) {
      expect(await other.readHead(0)).toEqual({
        manifest: undefined,
        records: [],
      });
      expect(await other.readItems(['1-aaaaaa.0/ids0'], true)).toEqual(new Map());
    }
  });

  describe('when it has more than one page of 1 MB', () => {
    const count = 40;
    const allStamps = Array.from({ length: count }, (_, place) => place + 1);

    /** Returns a log whose records have 60 kB each. */
    async function largeLog(): Promise<LogWriter> {
      const { writer, commit } = tableLog();
      // Random, so that it cannot be compressed.
      const name = (): string => randomBytes(45_000).toString('base64');
      await writer.replaceManifest(makeManifest());
      for (const stamp of allStamps) await commit(creation(nowMs + stamp, name()));
      return writer;
    }

    test('is read in pages', async () => {
      const writer = await largeLog();
      const { manifest, records } = await writer.readHead(nowMs);
      expect(manifest).toEqual(makeManifest());
      expect(stampsOf(records)).toEqual(allStamps.toReversed());
      const pages = await all(writer.oldestRecords(nowMs, nowMs + count));
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.flatMap((page) => page.records)).toEqual(records.toReversed());
      expect(pages.map(({ hasMore }) => hasMore)).toEqual([...Array(pages.length - 1).fill(true), false]);
    });
  });
});
