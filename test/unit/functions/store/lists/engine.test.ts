import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { mergeRecords } from '#functions/store/lists/engine/merge-records.ts';
import { addNewestStamps, canHaveExpired } from '#functions/store/lists/engine/newest-stamps.ts';
import { ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import type { LogWriter } from '#functions/store/lists/engine/storage.ts';
import { decodeRecord, type LogRecord, recordWrites } from '#functions/store/model/change-log.ts';
import type { LogEntry } from '#functions/store/model/log-entry.ts';
import type { Row } from '#functions/store/model/row.ts';
import type { Item, Write } from '#functions/store/model/writes.ts';
import { MemoryLog } from '#test/simulation/memory-log.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';
import { makeManifest } from '#test/support/segments.ts';

describe('merge-records', () => {
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
      const merged = {
        id: 'a',
        from: 4,
        to: 7,
        previousStamp: 4,
        before: { name: '1' },
        after: { name: '4' },
      };
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
});

describe('newest-stamps', () => {
  const dayMs = 86_400_000;

  const record = (stamp: number, lifeDays?: number): LogRecord => ({ key: '', stamp, lifeDays, entries: [] });

  describe('addNewestStamps', () => {
    test('has the newest record of each life', () => {
      expect(addNewestStamps({}, [record(3), record(5), record(4)])).toEqual({ 30: 5 });
      expect(addNewestStamps({ 7: 5 }, [record(6, 400), record(2, 7)])).toEqual({ 7: 5, 400: 6 });
    });

    test('leaves out those that a newer record with a shorter life covers', () => {
      expect(addNewestStamps({ 400: 5 }, [record(6, 7)])).toEqual({ 7: 6 });
      expect(addNewestStamps({ 7: 6 }, [record(5, 30)])).toEqual({ 7: 6 });
    });
  });

  describe('canHaveExpired', () => {
    const nowMs = 1_000 * dayMs;

    test.each([
      [{}, 900, 900, false],
      [{ 30: 980 }, 972, 972, false],
      [{ 30: 980 }, 970, 970, true],
      // No record is later than what was given.
      [{ 30: 960 }, 950, 960, false],
      // The records of a week are gone, although later ones live for a year.
      [{ 7: 950, 400: 999 }, 940, 940, true],
      [{ 7: 950, 400: 999 }, 960, 960, false],
    ])('with %j, above day %i and given day %i: %s', (days, above, given, expected) => {
      const newest = Object.fromEntries(Object.entries(days).map(([life, day]) => [life, day * dayMs]));
      expect(canHaveExpired(newest, { above: above * dayMs, given: given * dayMs, nowMs })).toBe(expected);
    });
  });
});

describe('process-memory', () => {
  /** Bytes of an entry besides its value. */
  const overheadBytes = 200;

  /** Returns a memory for a number of values of 800 bytes. */
  const cacheFor = (values: number): ProcessMemory => new ProcessMemory(1_000 * values);
  const valueBytes = 1_000 - overheadBytes;

  test('returns what was set, for the same tenant and kind only', () => {
    const shared = new ProcessMemory();
    shared.of('acme', 'task').set('name', 'value', 10);
    expect(shared.of('acme', 'task').get('name')).toBe('value');
    expect(shared.of('acme', 'project').get('name')).toBeUndefined();
    expect(shared.of('other', 'task').get('name')).toBeUndefined();
  });

  test('replaces a value, and counts the bytes of the new one', () => {
    const shared = new ProcessMemory();
    const memory = shared.of('acme', 'task');
    memory.set('name', 'one', 500);
    memory.set('name', 'two', 300);
    expect(memory.get('name')).toBe('two');
    expect(shared.bytes).toBe(300 + overheadBytes);
  });

  describe('a value that is kept for some time', () => {
    beforeEach(() => {
      jest.useFakeTimers();
    });

    afterEach(() => {
      jest.useRealTimers();
    });

    test('leaves by itself, and its bytes with it', () => {
      const shared = new ProcessMemory();
      const memory = shared.of('acme', 'task');
      memory.set('old', 'value', 500, 60_000);
      memory.set('kept', 'value', 300);
      jest.advanceTimersByTime(59_000);
      expect(memory.get('old')).toBe('value');
      jest.advanceTimersByTime(2_000);
      expect(shared.bytes).toBe(300 + overheadBytes);
      expect([memory.get('old'), memory.get('kept')]).toEqual([undefined, 'value']);
    });

    test('can be set again, and be forgotten', () => {
      const shared = new ProcessMemory();
      const memory = shared.of('acme', 'task');
      memory.set('name', 'one', 500, 60_000);
      jest.advanceTimersByTime(50_000);
      memory.set('name', 'two', 400, 60_000);
      jest.advanceTimersByTime(50_000);
      expect([memory.get('name'), shared.bytes]).toEqual(['two', 400 + overheadBytes]);
      memory.set('name', undefined, 0);
      jest.advanceTimersByTime(50_000);
      expect(shared.bytes).toBe(0);
    });

    test('does not count after its tenant has left', () => {
      const shared = cacheFor(4);
      shared.of('a', 'task').set('name', 'a', valueBytes, 60_000);
      for (const tenant of ['b', 'c', 'd', 'e']) shared.of(tenant, 'task').set('name', tenant, valueBytes);
      jest.advanceTimersByTime(61_000);
      expect(shared.bytes).toBe(4_000);
    });
  });

  test('evicts the values that have not been used for the longest time when the bytes do not suffice', () => {
    const shared = cacheFor(4);
    const tenants = ['a', 'b', 'c', 'd'];
    for (const tenant of tenants) shared.of(tenant, 'task').set('name', tenant, valueBytes);
    // Reading counts as use.
    shared.of('a', 'task').get('name');
    shared.of('e', 'task').set('name', 'e', valueBytes);
    const kept = [...tenants, 'e'].filter((tenant) => shared.of(tenant, 'task').get('name'));
    expect(kept).toEqual(['a', 'c', 'd', 'e']);
    expect(shared.bytes).toBe(4_000);
  });

  test('evicts as many values as a large one needs', () => {
    const shared = cacheFor(8);
    for (const tenant of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
      shared.of(tenant, 'task').set('name', tenant, valueBytes);
    }
    shared.of('i', 'task').set('name', 'i', 2 * valueBytes);
    const kept = [...'abcdefghi'].filter((tenant) => shared.of(tenant, 'task').get('name'));
    expect(kept).toEqual(['c', 'd', 'e', 'f', 'g', 'h', 'i']);
  });

  test('gives one tenant a quarter of the bytes, and evicts only its own values for more', () => {
    const shared = cacheFor(16);
    shared.of('small', 'task').set('name', 'small', valueBytes);
    const large = shared.of('large', 'task');
    for (let number = 0; number < 6; number += 1) large.set(String(number), number, valueBytes);
    const kept = [0, 1, 2, 3, 4, 5].filter((number) => large.get(String(number)) !== undefined);
    expect(kept).toEqual([2, 3, 4, 5]);
    expect(shared.of('small', 'task').get('name')).toBe('small');
    expect(shared.bytes).toBe(5_000);
  });

  test('counts all kinds of a tenant together', () => {
    const shared = cacheFor(4);
    shared.of('acme', 'task').set('name', 1, valueBytes);
    shared.of('acme', 'project').set('name', 2, valueBytes);
    expect(shared.of('acme', 'task').get('name')).toBeUndefined();
    expect(shared.of('acme', 'project').get('name')).toBe(2);
  });

  test('does not keep a value that is larger than a quarter, nor the one that it replaces', () => {
    const shared = cacheFor(4);
    const memory = shared.of('acme', 'task');
    memory.set('name', 'small', 100);
    memory.set('name', 'large', valueBytes + 1);
    expect(memory.get('name')).toBeUndefined();
    expect(shared.bytes).toBe(0);
  });
});

describe('storage', () => {
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
});
