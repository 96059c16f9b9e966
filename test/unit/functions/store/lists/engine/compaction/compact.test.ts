import { compact } from '#functions/store/lists/engine/compaction/compact.ts';
import type { CompactionSource } from '#functions/store/lists/engine/compaction/compaction-source.ts';
import { defaultSizes } from '#functions/store/lists/engine/compaction/sizes.ts';
import {
  emptyManifest,
  type Manifest,
  manifestNames,
} from '#functions/store/lists/engine/format/manifest.ts';
import { ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import { isText } from '#functions/store/lists/engine/read/row-filter.ts';
import { defaultHistoryDays, type LogRecord } from '#functions/store/model/change-log.ts';
import { garbageMs, marginMs } from '#functions/store/model/log-timing.ts';
import type { Row } from '#functions/store/model/row.ts';
import { Crash } from '#test/simulation/memory-log.ts';
import { Random } from '#test/simulation/random.ts';
import { idOf, LogBuilder, startMs } from '#test/support/log-builder.ts';

const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string];
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

let log: LogBuilder;

beforeEach(() => {
  log = new LogBuilder();
});

/** Returns consecutive rows with the same values. */
const rowsFrom = (first: number, count: number, values: Row): Record<string, Row> =>
  Object.fromEntries(Array.from({ length: count }, (_, row) => [idOf(first + row), values]));

/** Takes a step with the margin and the sizes of the service. */
const step = (nowMs: number, source: Partial<CompactionSource> = {}) =>
  compact({
    writer: log.log.open(),
    memory: new ProcessMemory().of('acme', 'task'),
    nowMs,
    isForced: true,
    ...source,
  });

const watermark = (): number => (log.log.manifest?.watermark ?? 0) - startMs;

describe('a step', () => {
  test('writes nothing for an empty log', async () => {
    expect(await step(startMs)).toMatchObject({ records: 0, waiting: 0, hasMore: false });
    expect(log.log.manifest).toBeUndefined();
    expect(log.log.items.size).toBe(0);
  });

  test('absorbs the records that are older than the margin', async () => {
    log.commit(startMs, { [a]: { name: 'a' } });
    log.commit(startMs + 1_000, { [b]: { name: 'b' } });
    expect(await step(startMs + 999 + marginMs)).toMatchObject({ records: 1, waiting: 0, hasMore: false });
    expect(log.log.manifest).toMatchObject({ version: 1, watermark: startMs + 999, patches: [] });
    expect(log.log.manifest?.segments.map(({ first, last, rows }) => [first, last, rows])).toEqual([
      [a, a, 1],
    ]);
    expect(await step(startMs + 1_000 + marginMs)).toMatchObject({ records: 1 });
    expect(await log.list()).toMatchObject({ total: 2, rows: [{ id: a }, { id: b }] });
  });

  test('writes a patch of the changed values of older rows', async () => {
    log.commit(startMs, rowsFrom(0, 20, { name: 'a', color: 'red' }));
    await log.compact(startMs + 1);
    log.commit(startMs + 10, { [a]: { name: 'b', color: 'red' } });
    await log.compact(startMs + 11);
    const { segments = [], patches } = log.log.manifest ?? {};
    expect(patches).toEqual([{ step: expect.stringMatching(/^2-/), values: 2, bytes: expect.any(Number) }]);
    expect(segments[0]).toMatchObject({ rows: 20, deleted: 0, patched: { $version: 1, name: 1 } });
    log.commit(startMs + 20, { [a]: { name: 'c', color: 'red' } });
    await log.compact(startMs + 21);
    expect(log.log.manifest?.segments[0]).toMatchObject({ patched: { $version: 2, name: 2 } });
  });

  test('fills segments with the rows of several steps', async () => {
    for (let number = 0; number < 12; number += 1) {
      log.commit(startMs + 10 * number, rowsFrom(20 * number, 20, { name: 'a' }));
      await log.compactAll(startMs + 10 * number + 1, { maxRows: 30 });
    }
    expect(log.log.manifest?.segments.map(({ rows }) => rows)).toEqual(Array(8).fill(30));
    expect(await log.list({ limit: 300 })).toMatchObject({ total: 240 });
  });

  test('merges new values with patches that have at most twice as many', async () => {
    log.commit(startMs, rowsFrom(0, 100, { name: 'a' }));
    await log.compact(startMs + 1);
    const values: (readonly number[])[] = [];
    for (let change = 1; change <= 8; change += 1) {
      log.commit(startMs + 10 * change, { [idOf(change)]: { name: `b${change}` } });
      await log.compact(startMs + 10 * change + 1, { maxShareOfColumn: 1 });
      values.push((log.log.manifest?.patches ?? []).map((patch) => patch.values));
    }
    expect(values).toEqual([[2], [4], [6], [6, 2], [10], [10, 2], [10, 4], [16]]);
  });

  test('writes at most a few columns again, those with the largest share of values in patches, after the records', async () => {
    const sizes = { maxShareOfColumn: 0.1, maxRewrittenColumns: 1, maxSmallBytes: 0 };
    log.commit(startMs, rowsFrom(0, 100, { name: '0', color: '0' }));
    await log.compact(startMs + 1, sizes);
    const patched = () => log.log.manifest?.segments[0]?.patched;
    log.commit(startMs + 10, rowsFrom(0, 40, { name: '0', color: '1' }));
    log.commit(startMs + 11, rowsFrom(0, 20, { name: '1', color: '1' }));
    expect(await log.compact(startMs + 12, sizes)).toMatchObject({ records: 2, hasMore: true });
    expect(patched()).toEqual({ color: 40, name: 20, $version: 40 });
    expect(await log.compact(startMs + 12, sizes)).toMatchObject({ records: 0, hasMore: true });
    expect(patched()).toEqual({ name: 20, color: 40 });
    log.commit(startMs + 20, rowsFrom(0, 5, { name: '2', color: '1' }));
    await log.compact(startMs + 21, sizes);
    expect(patched()).toEqual({ name: 25, color: 40, $version: 5 });
    await log.compact(startMs + 21, sizes);
    expect(patched()).toEqual({ name: 25, $version: 5 });
    await log.compact(startMs + 21, sizes);
    expect(patched()).toEqual({ $version: 5 });
    expect(log.log.manifest?.patches).toHaveLength(1);
    expect(await log.compact(startMs + 21, sizes)).toMatchObject({ records: 0, hasMore: false });
    expect(await log.list({ filters: [isText('name', '1')] })).toMatchObject({ total: 15 });
  });

  test('returns undefined, and changes no list, when another process was faster', async () => {
    log.commit(startMs, { [a]: { name: 'a' } });
    await log.compact(startMs + 1);
    const writer = log.log.open();
    log.commit(startMs + 10, { [b]: { name: 'b' } });
    const readHead = async (above: number) => {
      const head = await writer.readHead(above);
      await log.compact(startMs + 11);
      return head;
    };
    expect(await step(startMs + minuteMs, { writer: { ...writer, readHead } })).toBeUndefined();
    expect(log.log.manifest?.version).toBe(2);
    expect(await log.ids()).toEqual([a, b]);
  });

  test('writes items under new names, also when two processes take the same step', async () => {
    log.commit(startMs, { [a]: { name: 'a' } });
    const { manifest } = log.log;
    await log.compact(startMs + 1);
    log.log.manifest = manifest;
    // The log throws when an item is overwritten.
    await expect(log.compact(startMs + 1)).resolves.toMatchObject({ records: 1 });
  });

  test.each(Array.from({ length: 12 }, (_, writes) => [writes]))(
    'that crashes after %i writes changes no list, and the next one cleans up after it',
    async (writes) => {
      log.commit(startMs, { [a]: { name: 'a' }, [b]: { name: 'b' } });
      await log.compact(startMs + 1);
      log.commit(startMs + 10, { [a]: { name: 'a2' }, [b]: undefined, [c]: { name: 'c' } });
      let left = writes;
      const beforeWrite = (): void => {
        left -= 1;
        if (left < 0) throw new Crash();
      };
      const crashed = step(startMs + 11 + marginMs, { writer: log.log.open({ beforeWrite }) });
      await crashed.catch((error: unknown) => expect(error).toBeInstanceOf(Crash));
      expect(await log.ids()).toEqual([a, c]);
      log.commit(startMs + 2 * garbageMs, { [d]: { name: 'd' } });
      await log.compact(startMs + 3 * garbageMs);
      log.commit(startMs + 3 * garbageMs + 1, { [a]: { name: 'a3' } });
      const before = log.log.manifest as Manifest;
      await log.compact(startMs + 5 * garbageMs);
      expect(await log.ids()).toEqual([a, c, d]);
      const names = [...log.log.items.keys()].filter((name) => /^[12]-/.test(name));
      // What the last step has replaced stays for an hour.
      const live = new Set<string>([
        ...manifestNames(before),
        ...manifestNames(log.log.manifest as Manifest),
      ]);
      expect(names.filter((name) => !live.has(name))).toEqual([]);
    },
  );
});

test('what a step replaces stays for an hour, however old it is', async () => {
  log.commit(startMs, { [a]: { name: 'a' } });
  await log.compact(startMs + 1);
  const before = log.log.manifest as Manifest;
  log.commit(startMs + 2 * garbageMs, { [b]: { name: 'b' } });
  await log.compact(startMs + 3 * garbageMs);
  const replaced = manifestNames(before).filter(
    (name) => !manifestNames(log.log.manifest as Manifest).includes(name),
  );
  expect(replaced.length).toBeGreaterThan(0);
  expect(replaced.filter((name) => !log.log.items.has(name))).toEqual([]);
  log.commit(startMs + 4 * garbageMs, { [c]: { name: 'c' } });
  await log.compact(startMs + 5 * garbageMs);
  expect(replaced.filter((name) => log.log.items.has(name))).toEqual([]);
});

describe('settled records', () => {
  test('that are too few wait for a later step', async () => {
    const sizes = { ...defaultSizes, minChanges: 3 };
    log.commit(startMs, { [a]: { name: 'a' } });
    log.commit(startMs + 1, { [b]: { name: 'b' } });
    const source = { sizes, isForced: false };
    expect(await step(startMs + minuteMs, source)).toMatchObject({ records: 0, waiting: 2, hasMore: false });
    expect(log.log.manifest).toBeUndefined();
    log.commit(startMs + 2, { [c]: { name: 'c' } });
    expect(await step(startMs + minuteMs, source)).toMatchObject({ records: 3, waiting: 0 });
    log.commit(startMs + minuteMs, { [d]: { name: 'd' } });
    const { manifest, items } = log.log;
    const itemsBefore = items.size;
    expect(await step(startMs + 2 * minuteMs, source)).toMatchObject({ records: 0, waiting: 1 });
    // A look writes nothing.
    expect([log.log.manifest, items.size]).toEqual([manifest, itemsBefore]);
  });

  test('are enough when they have many changes', async () => {
    const sizes = { ...defaultSizes, minChanges: 3 };
    log.commit(startMs, { [a]: { name: 'a' }, [b]: { name: 'b' } });
    expect(await step(startMs + minuteMs, { sizes, isForced: false })).toMatchObject({
      records: 0,
      waiting: 1,
    });
    log.commit(startMs + 1, { [c]: { name: 'c' } });
    expect(await step(startMs + minuteMs, { sizes, isForced: false })).toMatchObject({
      records: 2,
      waiting: 0,
    });
  });

  test('are absorbed after a day however few there are', async () => {
    log.commit(startMs, { [a]: { name: 'a' } });
    expect(await step(startMs + dayMs, { isForced: false })).toMatchObject({ records: 0, waiting: 1 });
    expect(await step(startMs + dayMs + 1, { isForced: false })).toMatchObject({ records: 1, waiting: 0 });
  });

  test('are absorbed in several steps when there are many, up to the stamp before the first change that is too much', async () => {
    for (let number = 0; number < 6; number += 1)
      log.commit(startMs + number, { [idOf(number)]: { name: 'a' } });
    const limits = { maxChanges: 4 };
    expect(await log.compact(startMs + 100, limits)).toMatchObject({ records: 4, waiting: 0, hasMore: true });
    expect(watermark()).toBe(3);
    expect(await log.compact(startMs + 100, limits)).toMatchObject({
      records: 2,
      waiting: 0,
      hasMore: false,
    });
    expect(watermark()).toBe(100);
    expect(await log.list()).toMatchObject({ total: 6 });
  });

  test('are counted by their changes, and by the bytes of their values', async () => {
    const name = 'n'.repeat(100);
    for (let number = 0; number < 6; number += 1)
      log.commit(startMs + number, { [idOf(2 * number)]: { name }, [idOf(2 * number + 1)]: { name } });
    expect(await log.compact(startMs + 100, { maxChanges: 5 })).toMatchObject({ records: 2, hasMore: true });
    expect(watermark()).toBe(1);
    expect(await log.compact(startMs + 100, { maxChangedBytes: 1_200 })).toMatchObject({
      records: 3,
      hasMore: true,
    });
    expect(watermark()).toBe(4);
  });

  test('of one stamp are absorbed together', async () => {
    for (let number = 0; number < 6; number += 1) log.commit(startMs, { [idOf(number)]: { name: 'a' } });
    for (let number = 6; number < 9; number += 1) log.commit(startMs + 1, { [idOf(number)]: { name: 'a' } });
    const writer = log.log.open({ pageSize: 4 });
    const sizes = { ...defaultSizes, maxChanges: 2 };
    const source = { writer, sizes, marginMs: 0 };
    expect(await step(startMs + 100, source)).toMatchObject({ records: 6, waiting: 0, hasMore: true });
    expect(watermark()).toBe(0);
    expect(await step(startMs + 100, source)).toMatchObject({ records: 3, waiting: 0, hasMore: false });
    expect(await log.list()).toMatchObject({ total: 9 });
  });
});

test('the watermark does not move back when the clock of a process is behind', async () => {
  log.commit(startMs, { [a]: { name: 'a' } });
  await step(startMs + minuteMs);
  const late = log.build(startMs + 1, { [a]: { name: 'a2' } });
  const readVersions = async () => new Map([[a, 2]]);
  await step(startMs + minuteMs - 2_000, { late: { records: [late], readVersions } });
  expect(log.log.manifest).toMatchObject({ version: 2, watermark: startMs + minuteMs - marginMs });
});

describe('a late record', () => {
  test('that the watermark has passed is absorbed by a step that knows of it', async () => {
    log.commit(startMs, { [a]: { name: 'a' } });
    await log.compact(startMs + 10);
    const late = log.build(startMs + 1, { [b]: { name: 'b' } });
    log.log.records.push(late);
    await log.compact(startMs + 20);
    expect(await log.ids()).toEqual([a]);
    expect(await log.compact(startMs + 30, {}, [late])).toMatchObject({ records: 0, late: 1 });
    expect(await log.ids()).toEqual([a, b]);
  });

  test('above the watermark is left to the step that reads it', async () => {
    for (let stamp = 0; stamp < 4; stamp += 1) log.commit(startMs + stamp, { [idOf(stamp)]: { name: 'a' } });
    const late = log.log.records.at(-1) as LogRecord;
    expect(await log.compact(startMs + 10, { maxChanges: 2 }, [late])).toMatchObject({ late: 0 });
    expect(await log.list()).toMatchObject({ total: 4 });
    await log.compact(startMs + 10, {}, [late]);
    expect(await log.list()).toMatchObject({ total: 4 });
  });

  test('is absorbed only once', async () => {
    log.commit(startMs, { [a]: { name: 'a' } });
    await log.compact(startMs + 10);
    const late = log.build(startMs + 1, { [b]: { name: 'b' } });
    await log.compact(startMs + 20, {}, [late]);
    expect(await log.compact(startMs + 30, {}, [late])).toMatchObject({ late: 0 });
    expect(log.log.manifest?.version).toBe(2);
  });

  test('of a change between two that were absorbed changes nothing', async () => {
    log.commit(startMs, { [a]: { name: 'a' } });
    const late = log.build(startMs + 1, { [a]: { name: 'late' } });
    log.commit(startMs + 2, { [a]: { name: 'last' } });
    await log.compact(startMs + 10);
    log.log.records.push(late);
    await log.compact(startMs + 2 * minuteMs, {}, [late]);
    expect(log.log.manifest?.version).toBe(1);
    const isLast = isText('name', 'last');
    expect(await log.list({ filters: [isLast] })).toMatchObject({ rows: [{ id: a, version: 3 }] });
  });

  test('of a change before one that is absorbed with it is merged by version', async () => {
    log.commit(startMs, { [a]: { name: 'a', color: 'red' } });
    await log.compact(startMs + 10);
    const late = log.build(startMs + 1, { [a]: { name: 'late', color: 'blue' } });
    log.commit(startMs + 20, { [a]: { name: 'last', color: 'blue' } });
    await log.compact(startMs + 2 * minuteMs, {}, [late]);
    const isBlue = isText('color', 'blue');
    expect(await log.list({ filters: [isBlue] })).toMatchObject({
      rows: [{ id: a, version: 3 }],
    });
  });

  test('does not bring back a row of it that was deleted meanwhile', async () => {
    log.commit(startMs, { [a]: { name: 'a' }, [b]: { name: 'b' }, [c]: { name: 'c' }, [d]: { name: 'd' } });
    const late = log.build(startMs + 1, { [a]: { name: 'a2' }, [b]: { name: 'b2' } });
    log.commit(startMs + 2, { [b]: undefined, [c]: undefined });
    await log.compact(startMs + 10);
    // Rewrites the segment without the deleted rows.
    log.commit(startMs + 20, { [d]: { name: 'd2' } });
    await log.compact(startMs + 30);
    log.log.records.push(late);
    await log.compact(startMs + 2 * minuteMs, {}, [late]);
    expect(await log.list()).toMatchObject({
      total: 2,
      rows: [
        { id: a, version: 2 },
        { id: d, version: 2 },
      ],
    });
  });
});

test('a deleted row does not come back when the record of its deletion expires first', async () => {
  log.commit(startMs, { [a]: { name: 'a' }, [b]: { name: 'b' } });
  log.commit(startMs + 1, { [a]: undefined });
  await log.compact(startMs + 2);
  log.log.records.pop();
  log.commit(startMs + defaultHistoryDays * dayMs, { [b]: { name: 'b2' } });
  await log.compact(startMs + defaultHistoryDays * dayMs);
  expect(await log.ids()).toEqual([b]);
});

test('a rewritten segment keeps a field that is newer than the segment', async () => {
  log.commit(startMs, { [a]: { name: 'a' }, [b]: { name: 'b' }, [c]: { name: 'c' } });
  await log.compact(startMs + 1);
  log.commit(startMs + 2, { [b]: { name: 'b', color: 'red' } });
  await log.compact(startMs + 3, { maxShareOfColumn: 1 });
  log.commit(startMs + 4, { [d]: { name: 'd' }, [a]: undefined });
  await log.compact(startMs + 5);
  const isRed = isText('color', 'red');
  expect(await log.ids({ filters: [isRed] })).toEqual([b]);
});

test('patches are left out when columns have all of their values', async () => {
  const sizes = { maxSmallBytes: 0 };
  log.commit(startMs, rowsFrom(0, 100, { name: 'a' }));
  await log.compact(startMs + 1, sizes);
  log.commit(startMs + 10, rowsFrom(0, 20, { name: 'b' }));
  await log.compact(startMs + 11, sizes);
  expect(log.log.manifest?.patches).toHaveLength(1);
  await log.compactAll(startMs + 11, sizes);
  expect(log.log.manifest?.patches).toEqual([]);
  expect(await log.list({ filters: [isText('name', 'b')] })).toMatchObject({ total: 20 });
});

describe('rows that come out of order', () => {
  const sizes = { maxRows: 40, maxChanges: 1_000, maxSmallBytes: 0, minShareOfOutOfOrder: 1 / 4 };
  const segmentIds = (): string[] => log.log.manifest?.segments.map(({ id }) => id) ?? [];
  const waiting = (): number[] => log.log.manifest?.segments.map(({ outOfOrder = 0 }) => outOfOrder) ?? [];
  const isNew = isText('name', 'new');
  const insert = (nowMs: number, number: number, name = 'new'): void =>
    log.commit(nowMs, { [idOf(number)]: { name } });

  /** Two full segments, of rows with even numbers. */
  beforeEach(async () => {
    const rows = Object.entries(rowsFrom(0, 160, { name: 'old' })).filter((_, row) => row % 2 === 0);
    log.commit(startMs, Object.fromEntries(rows));
    await log.compactAll(startMs + hourMs - 1, sizes);
    expect(segmentIds()).toHaveLength(2);
  });

  test('wait, and no segment is written again for a few of them', async () => {
    const before = segmentIds();
    for (const [step, number] of [5, 85, 7].entries()) {
      insert(startMs + hourMs + 10 * step, number);
      await log.compactAll(startMs + hourMs + 10 * step + 5, sizes);
    }
    expect([segmentIds(), waiting()]).toEqual([before, [2, 1]]);
    expect(await log.list({ filters: [isNew], isDescending: false })).toMatchObject({
      rows: [5, 7, 85].map((number) => ({ id: idOf(number), version: 1 })),
      total: 3,
    });
    expect(await log.list({})).toMatchObject({ total: 83 });
  });

  test('can be changed and deleted while they wait', async () => {
    insert(startMs + hourMs, 5);
    insert(startMs + hourMs + 1, 85);
    await log.compactAll(startMs + hourMs + 5, sizes);
    insert(startMs + hourMs + 10, 5, 'newer');
    log.commit(startMs + hourMs + 11, { [idOf(85)]: undefined });
    await log.compactAll(startMs + hourMs + 15, sizes);
    expect(waiting()).toEqual([1, 0]);
    expect(await log.list({ filters: [isNew] })).toMatchObject({ total: 0 });
    expect(await log.list({ filters: [isText('name', 'newer')] })).toMatchObject({
      rows: [{ id: idOf(5), version: 2 }],
    });
    log.commit(startMs + hourMs + 20, { [idOf(5)]: undefined });
    await log.compactAll(startMs + hourMs + 25, sizes);
    expect(log.log.manifest?.outOfOrder).toEqual([]);
  });

  test('are written into their segment when they are a certain share of its rows', async () => {
    const [first, second] = segmentIds();
    for (let row = 0; row < 10; row += 1) insert(startMs + hourMs + row, 2 * row + 1);
    insert(startMs + hourMs + 10, 85);
    await log.compactAll(startMs + hourMs + 20, sizes);
    expect(segmentIds()).not.toContain(first);
    expect(segmentIds()).toContain(second);
    expect(waiting().reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await log.list({ filters: [isNew] })).toMatchObject({ total: 11 });
    expect(await log.list({})).toMatchObject({ total: 91 });
  });

  test('are written into the segment with the most of them when too many wait', async () => {
    const few = { ...sizes, maxOutOfOrderRows: 3 };
    const [first, second] = segmentIds();
    for (const number of [5, 81, 83, 85]) insert(startMs + hourMs + number, number);
    await log.compactAll(startMs + hourMs + 200, few);
    expect(segmentIds()).toContain(first);
    expect(segmentIds()).not.toContain(second);
    expect(waiting()).toEqual([1, 0]);
  });

  test('make a segment grow somewhat before it is divided', async () => {
    for (let row = 0; row < 5; row += 1) insert(startMs + hourMs + row, 2 * row + 1);
    await log.compactAll(startMs + hourMs + 10, { ...sizes, minShareOfOutOfOrder: 1 / 10 });
    expect(log.log.manifest?.segments.map(({ rows }) => rows)).toEqual([45, 40]);
    for (let row = 5; row < 11; row += 1) insert(startMs + hourMs + 100 + row, 2 * row + 1);
    await log.compactAll(startMs + hourMs + 200, { ...sizes, minShareOfOutOfOrder: 1 / 10 });
    expect(log.log.manifest?.segments.map(({ rows }) => rows)).toEqual([40, 11, 40]);
    expect(await log.list({})).toMatchObject({ total: 91 });
  });
});

test('a column that is written again does not keep values that no row has', async () => {
  log.commit(startMs, { [a]: { name: 'a' }, [b]: { name: 'b' } });
  await log.compact(startMs + 1, { maxSmallBytes: 0 });
  const lengths: number[] = [];
  for (let change = 1; change <= 40; change += 1) {
    log.commit(startMs + 10 * change, { [a]: { name: String(Math.sin(change)) } });
    await log.compactAll(startMs + 10 * change + 1, { maxShareOfColumn: 0, maxSmallBytes: 0 });
    const [segment] = log.log.manifest?.segments ?? [];
    const name = `${segment?.id}/${segment?.columns['name']}/name` as const;
    lengths.push(log.log.items.get(name)?.length ?? 0);
  }
  expect(Math.max(...lengths)).toBeLessThan(40);
});

test('a column of ids that is written again has as many buckets as it needs', async () => {
  const isFirst = isText('projectId', idOf(0));
  const random = new Random(1);
  const counts: number[] = [];
  for (const [change, projects] of [20, 1, 90].entries()) {
    const rows = Array.from(
      { length: 400 },
      (_, number) => [idOf(number), { projectId: idOf(random.below(projects)) }] as const,
    );
    log.commit(startMs + 10 * change, Object.fromEntries(rows));
    await log.compactAll(startMs + 10 * change + 1, {
      bucketBytes: 200,
      maxShareOfColumn: 0,
      maxSmallBytes: 0,
    });
    const { segments = [], patches } = log.log.manifest ?? {};
    expect(patches).toEqual([]);
    counts.push(segments[0]?.buckets['projectId'] ?? 1);
    const total = rows.filter(([, { projectId }]) => projectId === idOf(0)).length;
    expect(await log.list({ filters: [isFirst] })).toMatchObject({ total });
  }
  expect(counts[0]).toBeGreaterThan(1);
  expect(counts[1]).toBe(1);
  expect(counts[2]).toBeGreaterThan(counts[0] as number);
});

test('lists work at the version of the manifest whose number spells the name of a patch', async () => {
  log.commit(startMs, { [a]: { name: 'a' }, [b]: { name: 'b' } });
  const version = Number.parseInt('patch', 36);
  log.log.manifest = { ...emptyManifest, version: version - 1 };
  await log.compact(startMs + 1);
  expect(log.log.manifest?.version).toBe(version);
  expect(await log.ids()).toEqual([a, b]);
});

describe('values that deflate cannot shorten', () => {
  /** Returns a text of 255 characters without repetitions. */
  const longName = (seed: number): string => {
    const random = new Random(seed);
    return Array.from({ length: 255 }, () => String.fromCharCode(33 + random.below(90))).join('');
  };
  const rowCount = 24_000;
  const sizes = { maxRows: 12_000, maxShareOfColumn: 0.1, maxSmallBytes: 0 };
  const namedRows = (nameOf: (number: number) => string, every: number): Record<string, Row> =>
    Object.fromEntries(
      Array.from({ length: rowCount / every }, (_, number) => [
        idOf(every * number),
        { name: nameOf(every * number) },
      ]),
    );

  /** Gives some of many rows long names, in a step of their own. */
  async function compactLongNames(every: number): Promise<Manifest> {
    log.commit(
      startMs,
      namedRows(() => 'a', 1),
    );
    await log.compactAll(startMs + 1, sizes);
    log.commit(startMs + 10, namedRows(longName, every));
    // The log throws when an item is larger than DynamoDB allows.
    await log.compactAll(startMs + 11, sizes);
    expect(await log.ids({ filters: [isText('name', longName(120))] })).toEqual([idOf(120)]);
    expect(await log.list({ filters: [isText('name', 'a')] })).toMatchObject({
      total: rowCount - rowCount / every,
    });
    return log.log.manifest as Manifest;
  }

  test('make a patch have several items for a field', async () => {
    const { segments, patches } = await compactLongNames(12);
    expect(segments).toHaveLength(2);
    expect(patches).toMatchObject([{ items: { $version: 1, name: 2 } }]);
  });

  test('divide a segment whose column is written again, and leave none of its values to patches', async () => {
    const { segments, patches } = await compactLongNames(6);
    expect(segments).toHaveLength(4);
    expect(patches).toEqual([]);
  });
});
