import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { openLog } from '#functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { mergeRecords } from '#functions/engine/columns/merge-records.ts';
import { ProcessMemory } from '#functions/engine/columns/process-memory.ts';
import type { LogWriter } from '#functions/engine/columns/storage.ts';
import { advance, completeUpTo, maxHoles, upTo } from '#functions/engine/log/progress.ts';
import { decodeRecord, type LogRecord, recordWrites } from '#functions/engine/model/change-log.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import { startTestStore } from '#test/support/local-store.ts';
import { MemoryLog } from '#test/support/memory-log.ts';
import { makeManifest } from '#test/support/segments.ts';

test('merge-records mergeRecords has no row before a creation and none after a deletion, in any order of the records', () => {
  const records = [undefined, { name: '1' }, { name: '2' }].map((before, previousPosition, rows) => ({
    position: previousPosition + 1,
    time: 0,
    entries: [
      { id: 'a', version: previousPosition + 1, previousPosition, before, after: rows[previousPosition + 1] },
    ],
  }));
  const merged = { id: 'a', from: 0, to: 3, before: undefined, after: undefined };
  for (const all of [records, records.toReversed()]) expect(mergeRecords(all).get('a')).toEqual(merged);
});

test('a process remembers logs of 10,000 tenants, and forgets those that were used least recently', () => {
  const memory = new ProcessMemory();
  for (let tenant = 0; tenant <= 10_000; tenant += 1) memory.of(`${tenant}`, 'task').set('a', true, 0);
  expect([0, 1, 10_000].map((tenant) => memory.of(`${tenant}`, 'task').get('a'))).toEqual([
    undefined,
    true,
    true,
  ]);
});

test('a list displaces what earlier lists have read, and not what it has read itself', () => {
  const memory = new ProcessMemory(4 * 3 * 1_200);
  const list = (...names: string[]): string => {
    const own = memory.of('acme', 'task');
    const missing = names.filter((name) => own.get(`items/${name}`) === undefined);
    for (const name of missing) own.set(`items/${name}`, true, 1_000);
    return missing.join('');
  };
  expect([list('a', 'b', 'c', 'd'), list('a', 'b', 'c', 'd'), list('e', 'f'), list('a', 'e', 'f')]).toEqual([
    'abcd',
    'd',
    'ef',
    'a',
  ]);
});

test('a process keeps as much as its setting says, and a quarter of it of one tenant', () => {
  process.env['COLUMN_MEMORY_MB'] = '1';
  const memory = new ProcessMemory();
  for (let tenant = 0; tenant < 10; tenant += 1)
    for (const name of ['a', 'b']) memory.of(`${tenant}`, 'task').set(name, true, 200_000);
  const { bytes } = memory;
  delete process.env['COLUMN_MEMORY_MB'];
  expect(bytes).toBeLessThanOrEqual(1_048_576);
  expect(bytes).toBeGreaterThan(800_000);
  expect([0, 9].map((tenant) => memory.of(`${tenant}`, 'task').get('b'))).toEqual([undefined, true]);
  expect(memory.of('9', 'task').get('a')).toBeUndefined();
});

describe('progress', () => {
  /** Returns the positions up to the last one that are not among some. */
  const missing = (seen: ReadonlySet<number>, last: number): number[] =>
    Array.from({ length: last }, (_, place) => place + 1).filter((one) => !seen.has(one));

  test('advance never has a hole above its position', () => {
    expect(() => advance({ position: 5, holes: [7] }, [])).toThrow('Holes are below the position');
  });

  test('advance has seen what a set of positions has, up to too many holes', () => {
    const batches = fc.array(fc.array(fc.integer({ min: 1, max: 600 }), { maxLength: 40 }), { maxLength: 8 });
    fc.assert(
      fc.property(batches, (all) => {
        let progress = upTo(0);
        let seen = new Set<number>();
        for (const batch of all) {
          progress = advance(progress, batch);
          const { position, holes } = progress;
          // What it does not go past can be read again.
          seen = new Set([...seen, ...batch.filter((one) => one <= position)]);
          expect(progress).toEqual({ position: Math.max(0, ...seen), holes: missing(seen, position) });
          expect(completeUpTo(progress)).toBe((holes[0] ?? position + 1) - 1);
          expect(holes.length).toBeLessThanOrEqual(maxHoles);
          const next = Math.min(...batch.filter((one) => one > position));
          expect(holes.length + next - position - 1).toBeGreaterThan(maxHoles);
        }
      }),
    );
  });
});

describe('storage', () => {
  /** What the list engine relies on, of the log in the table and of the one that unit tests use. */

  const store = startTestStore();

  /** Returns a log, and how a record comes into it. */
  function tableLog(tenant: string) {
    const database = store.database();
    return { writer: openLog(database, tenant, 'task'), put: (item: Item) => database.putItem(item) };
  }

  function memoryLog() {
    const log = new MemoryLog();
    return { writer: log.open() as LogWriter, put: async (item: Item) => log.add(decodeRecord(item)) };
  }

  /** Returns the record that creates a task. */
  function creation(tenant: string, position: number, name: string): Item {
    const createdAt = '2026-01-01T00:00:00.000Z';
    const id = '01890000-0000-7000-8000-000000000001';
    const entity = { id, name, status: 'open', createdAt, updatedAt: createdAt };
    const options = { positions: new Map([['task' as const, position]]), time: 1_770_000_000_000 };
    const writes = recordWrites(tenant, [{ after: { kind: 'task', version: 1, entity } }], options);
    return writes.get('task')?.put as Item;
  }

  const positionsOf = (records: readonly LogRecord[]): number[] => records.map(({ position }) => position);

  test.each([
    ['the table', tableLog],
    ['memory', memoryLog],
  ])('a log in %s', async (name, open) => {
    const { writer, put } = open(name);
    for (const position of [5, 1, 3, 2]) await put(creation(name, position, `name ${position}`));
    const head = await writer.readHead(1);
    expect({ ...head, records: positionsOf(head.records) }).toEqual({
      manifest: undefined,
      records: [5, 3, 2],
      isComplete: true,
    });
    expect(head.records[0]?.entries[0]?.after?.['name']).toBe('name 5');
    // The record of a position that has one stays.
    expect(positionsOf(await writer.fill([3, 4])).sort()).toEqual([3, 4]);
    const oldest = await writer.oldestRecords(2);
    expect(oldest.map(({ position, entries }) => [position, entries.length])).toEqual([
      [3, 1],
      [4, 0],
      [5, 1],
    ]);
    expect(await writer.replaceManifest(makeManifest({ watermark: 1 }))).toBe(true);
    expect(await writer.replaceManifest(makeManifest({ watermark: 2 }))).toBe(false);
    expect((await writer.readHead(0)).manifest).toEqual(makeManifest({ watermark: 1 }));
    expect([await writer.readManifest(), await writer.readManifestVersion()]).toEqual([
      makeManifest({ watermark: 1 }),
      1,
    ]);
  });

  test('the log in the table is read in pages when it has more than one page of 1 MB', async () => {
    const { writer, put } = tableLog('large');
    const positions = Array.from({ length: 24 }, (_, place) => place + 1);
    await writer.replaceManifest(makeManifest());
    // Random names cannot be compressed.
    for (const position of positions)
      await put(creation('large', position, randomBytes(45_000).toString('base64')));
    const { manifest, records, isComplete } = await writer.readHead(0);
    expect([manifest, isComplete]).toEqual([makeManifest(), false]);
    expect(positionsOf(records)).toEqual(positions.toReversed().slice(0, records.length));
    expect(positionsOf(await writer.oldestRecords(0))).toEqual(positions);
    const first = await writer.oldestRecords(0, (read) => read.length > 0);
    expect(positionsOf(first)).toEqual(positions.slice(0, first.length));
    expect(first.length).toBeLessThan(positions.length);
  });
});
