import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { assertManifest } from '#functions/engine/columns/compact/assert-manifest.ts';
import { chooseMerge, isFull } from '#functions/engine/columns/compact/choose-step.ts';
import { compact } from '#functions/engine/columns/compact/compact.ts';
import type { CompactionSource } from '#functions/engine/columns/compact/compaction-source.ts';
import { deleteGarbage, garbageMs, recordStep } from '#functions/engine/columns/compact/delete-garbage.ts';
import { openLog } from '#functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { locateChanges } from '#functions/engine/columns/compact/locate-changes.ts';
import { fillSegments } from '#functions/engine/columns/compact/new-segments.ts';
import { readInput } from '#functions/engine/columns/compact/read-input.ts';
import { fillAllHoles, type RebuildSource, rebuild } from '#functions/engine/columns/compact/rebuild.ts';
import { blockOf, type SegmentRow } from '#functions/engine/columns/compact/row-block.ts';
import { type CompactionSizes, defaultSizes } from '#functions/engine/columns/compact/sizes.ts';
import { stepShare } from '#functions/engine/columns/compact/step-share.ts';
import { countDeleted } from '#functions/engine/columns/format/deleted-rows.ts';
import {
  emptyManifest,
  type Manifest,
  manifestNames,
  maxItemBytes,
  type Segment,
} from '#functions/engine/columns/format/manifest.ts';
import { mergeRecords } from '#functions/engine/columns/merge-records.ts';
import { ProcessMemory } from '#functions/engine/columns/process-memory.ts';
import { ColumnReader } from '#functions/engine/columns/read/column-reader.ts';
import { isOneOf } from '#functions/engine/columns/read/row-filter.ts';
import { notDeleted } from '#functions/engine/model/deletion.ts';
import { CompactionTooSlow, StoreUnavailable } from '#functions/engine/model/errors.ts';
import type { Row } from '#functions/engine/model/row.ts';
import type { Database } from '#functions/engine/table/database.ts';
import { setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
import { Random } from '#test/simulation/random.ts';
import { idOf, LogBuilder, startMs } from '#test/support/log-builder.ts';
import { makeManifest, makeSegment } from '#test/support/segments.ts';
import { VirtualTime } from '#test/support/virtual-time.ts';

const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string];
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

let log: LogBuilder;

beforeEach(() => {
  log = new LogBuilder();
});

const newMemory = () => new ProcessMemory().of('acme', 'task');
const manifest = (): Manifest => log.log.manifest ?? emptyManifest;
const rowCounts = (): number[] => manifest().segments.map(({ rows }) => rows);
const segmentIds = (): string[] => manifest().segments.map(({ id }) => id);
const columnReader = (of = manifest()) => new ColumnReader(of, log.log.open(), newMemory());

/** Returns consecutive rows with the same values. */
const rowsFrom = (first: number, count: number, values: Row, every = 1): Record<string, Row> =>
  Object.fromEntries(Array.from({ length: count }, (_, row) => [idOf(first + every * row), values]));

/** Takes a step with the sizes of the service. */
const step = (nowMs: number, source: Partial<CompactionSource> = {}) =>
  compact({ writer: log.log.open(), memory: newMemory(), nowMs, isForced: true, ...source });

/** Returns a text of 255 characters that deflate cannot shorten much. */
const longText = (seed: number): string =>
  [1, 2, 3]
    .map((part) => createHash('sha512').update(`${seed} ${part}`).digest('base64'))
    .join('')
    .slice(0, 255);

const tenWords = (seed: number): string =>
  Array.from({ length: 10 }, (_, word) => `${seed}a${word}`).join(' ');

/** Rows of a segment, and expired ones among them. */
type Count = number | readonly [rows: number, expired: number];

describe('choose-step', () => {
  const sizes = { ...defaultSizes, maxRows: 100, maxMergedRows: 200, maxOpenSegments: 4 };

  /** Returns neighbouring segments with numbers of rows, and of those that have expired. */
  const segmentsOf = (...counts: readonly Count[]): Segment[] =>
    counts.map((count, position) => {
      const [rows, expired] = typeof count === 'number' ? [count, 0] : count;
      const deleted = { 0: expired };
      const [first, last] = [idOf(100 * position), idOf(100 * position + 99)];
      return makeSegment({ id: `1-aaaaaa.${position}`, first, last, rows, deleted, bytes: 100 * rows });
    });

  const merge = (segments: readonly Segment[], more: Partial<CompactionSizes> = {}) =>
    chooseMerge(makeManifest({ segments }), { ...sizes, ...more }, Date.now());

  const shrunk = [100, 80] as const;

  test.each<[string, readonly Count[], [number, number] | undefined, Partial<CompactionSizes>?]>([
    ['none has more rows than the others together', [64, 20, 10, 10], [1, 4]],
    ['one has more rows than the others together', [20, 10], undefined],
    ['they fill a segment', [40, 40, 40, 40], [0, 3]],
    ['a full one is among them', [10, 90, 10], undefined],
    ['the step has too little time for some', [40, 40, 10, 10], [2, 4], { maxMergedRows: 60 }],
    ['a quarter of the rows has expired', [[40, 10]], undefined],
    ['more than a quarter of the rows has expired', [[40, 11]], [0, 1]],
    ['the other rows of neighbours fit into one', [90, shrunk, shrunk, shrunk, shrunk, shrunk, 90], [1, 5]],
    ['the neighbour of a shrunk one is larger', [60, [8, 4]], [1, 2]],
  ])('chooses segments when %s', (_, counts, range, more = {}) => {
    const chosen = merge(segmentsOf(...counts), more);
    expect(chosen && [chosen.from, chosen.to]).toEqual(range);
  });

  test('merges are urgent when there are many segments that are not full', () => {
    const counts = [100, 40, 40, 40, 40];
    expect(merge(segmentsOf(...counts))).toMatchObject({ isUrgent: false });
    expect(merge(segmentsOf(...counts, 40))).toMatchObject({ isUrgent: true });
  });

  test('an urgent merge is not hidden by one that can wait', () => {
    const waiting = { ...sizes, minShareOfWaiting: 0.01 };
    const open = segmentsOf(100, ...Array<number>(12).fill(1));
    const [full, ...others] = open.map((segment, position) =>
      position > 0 ? segment : { ...segment, waiting: 1 },
    );
    const segments = [full as Segment, ...others];
    expect(merge(segments, waiting)).toMatchObject({ from: 1, to: 13, isUrgent: true });
    expect(merge(segments.slice(0, 2), waiting)).toMatchObject({ from: 0, to: 1, isUrgent: false });
    const urgent = { ...waiting, maxWaitingRows: 0, maxOpenSegments: 20 };
    expect(merge(segments, urgent)).toMatchObject({ from: 0, to: 1, isUrgent: true });
  });

  test.each([
    [0.5, 0.39, true],
    [0.5, 0.41, false],
    [0.76, 0.1, false],
  ])('columns with shares of %d and %d of an item are merged: %j', (first, second, isMerged) => {
    const segments = segmentsOf(10, 10).map((segment, position) => ({
      ...segment,
      bytes: (position === 0 ? first : second) * sizes.maxColumnBytes,
    }));
    expect(merge(segments) !== undefined).toBe(isMerged);
  });

  test('merges end, and leave few segments', () => {
    const count = fc
      .tuple(fc.integer({ min: 1, max: 100 }), fc.double({ min: 0, max: 1, noNaN: true }))
      .map(([rows, share]): readonly [number, number] => [rows, Math.floor(rows * share)]);
    const liveIn = (segments: readonly Segment[]) =>
      segments.reduce((sum, { rows, deleted }) => sum + rows - countDeleted(deleted), 0);
    fc.assert(
      fc.property(fc.array(count, { maxLength: 40 }), (counts) => {
        let segments = segmentsOf(...counts);
        const rows = liveIn(segments);
        for (let steps = 0, chosen = merge(segments); chosen; steps += 1, chosen = merge(segments)) {
          expect(steps).toBeLessThan(2 * counts.length);
          const { from, to } = chosen;
          const written: Segment[] = [];
          for (let left = liveIn(segments.slice(from, to)); left > 0; left -= 100)
            written.push(
              makeSegment({
                ...segments[from],
                rows: Math.min(left, 100),
                deleted: {},
                bytes: 100 * Math.min(left, 100),
              }),
            );
          segments = segments.toSpliced(from, to - from, ...written);
        }
        expect(liveIn(segments)).toBe(rows);
        // Between two full segments, the others have rows that grow by powers of two.
        const full = segments.filter(({ deleted, ...segment }) =>
          isFull({ ...segment, deleted, expired: countDeleted(deleted) }, sizes),
        ).length;
        expect(segments.length).toBeLessThanOrEqual((full + 1) * 14);
      }),
      { numRuns: 50 },
    );
  });
});

describe('compact', () => {
  describe('a step', () => {
    test('merges new values with patches that have at most twice as many', async () => {
      log.commit(startMs, rowsFrom(0, 100, { color: 'a' }));
      await log.compact(startMs + 1);
      const values: (readonly number[])[] = [];
      for (let change = 1; change <= 8; change += 1) {
        log.commit(startMs + 10 * change, { [idOf(change)]: { color: `b${change}` } });
        await log.compact(startMs + 10 * change + 1, { maxShareOfColumn: 1 });
        values.push(manifest().patches.map((patch) => patch.values));
      }
      expect(values).toEqual([[2], [4], [6], [6, 2], [10], [10, 2], [10, 4], [16]]);
    });

    test('writes at most a few columns again, those with the largest share of values in patches, after the records', async () => {
      const sizes = { maxShareOfColumn: 0.1, maxRewrittenColumns: 1, maxSmallBytes: 0 };
      log.commit(startMs, rowsFrom(0, 100, { size: '0', color: '0' }));
      await log.compact(startMs + 1, sizes);
      const patched = () => manifest().segments[0]?.patched;
      log.commit(startMs + 10, rowsFrom(0, 40, { size: '0', color: '1' }));
      log.commit(startMs + 11, rowsFrom(0, 20, { size: '1', color: '1' }));
      expect(await log.compact(startMs + 12, sizes)).toMatchObject({ records: 2, hasMore: true });
      expect(patched()).toEqual({ color: 40, size: 20, $version: 40 });
      expect(await log.compact(startMs + 12, sizes)).toMatchObject({ records: 0, hasMore: true });
      expect(patched()).toEqual({ size: 20, color: 40 });
      log.commit(startMs + 20, rowsFrom(0, 5, { size: '2', color: '1' }));
      await log.compactAll(startMs + 21, sizes);
      expect(patched()).toEqual({ $version: 5 });
      expect(manifest().patches).toHaveLength(1);
      expect(await log.list({ filters: [isOneOf('size', ['1'])] })).toMatchObject({ total: 15 });
    });
  });

  describe('records', () => {
    const few = { sizes: { ...defaultSizes, minChanges: 3 }, isForced: false };

    test('that are too few wait for a later step, which has enough changes or comes after two days', async () => {
      log.commit(startMs, { [a]: { name: 'a' }, [b]: { name: 'b' } });
      expect(await step(startMs + minuteMs, few)).toMatchObject({ records: 0, waiting: 1 });
      expect([log.log.manifest, log.log.items.size]).toEqual([undefined, 0]);
      log.commit(startMs + 1, { [c]: { name: 'c' } });
      expect(await step(startMs + minuteMs, few)).toMatchObject({ records: 2, waiting: 0 });
      log.commit(startMs + minuteMs, { [d]: { name: 'd' } });
      const items = log.log.items.size;
      expect(await step(startMs + minuteMs + 2 * dayMs, few)).toMatchObject({ records: 0, waiting: 1 });
      expect([manifest().version, log.log.items.size]).toEqual([1, items]);
      expect(await step(startMs + minuteMs + 2 * dayMs + 1, few)).toMatchObject({ records: 1, waiting: 0 });
    });

    test('are absorbed in several steps when their changes or their bytes are many', async () => {
      const name = 'n'.repeat(100);
      for (let number = 0; number < 8; number += 1) log.commit(startMs, rowsFrom(2 * number, 2, { name }));
      const watermarks: number[] = [];
      for (const sizes of [{ maxChanges: 5 }, { maxChangedBytes: 1_200 }, {}]) {
        expect(await log.compact(startMs + 100, sizes)).toMatchObject({ waiting: 0 });
        watermarks.push(manifest().watermark);
      }
      expect(watermarks).toEqual([2, 5, 8]);
      expect(await log.list()).toMatchObject({ total: 16 });
    });
  });

  describe('read-input', () => {
    /** Records of one change: two, a hole, and two again. */
    beforeEach(() => {
      for (const id of [a, b, undefined, c, d]) {
        if (id) log.commit(startMs, { [id]: { name: 'x' } });
        else log.takePosition();
      }
    });

    /** Reads the input of a forced step, with two records in a page of a query. */
    async function inputAt(nowMs: number, more: Partial<CompactionSizes> = {}, watermark = 0) {
      const writer = log.log.open({ pageSize: 2 });
      const sizes = { ...defaultSizes, maxChanges: 100, maxChangedBytes: 10_000, ...more };
      const source = { writer, memory: newMemory(), nowMs, isForced: true, sizes };
      const { records, ...input } = await readInput(source, makeManifest({ watermark }));
      return { ...input, positions: records.map(({ position }) => position) };
    }

    const nothing = { waiting: 0, hasHole: false, hasMore: false };

    test.each([
      ['up to a hole', 5_000, {}, 0, { positions: [1, 2], watermark: 2, hasHole: true }],
      ['nothing behind a hole', 5_000, {}, 2, { positions: [], watermark: 2, hasHole: true }],
      [
        'past a hole that is older than 5 seconds',
        5_001,
        {},
        0,
        { positions: [1, 2, 3, 4, 5], watermark: 5 },
      ],
      [
        'as much as a step takes',
        5_001,
        { maxChanges: 3 },
        0,
        { positions: [1, 2, 3], watermark: 3, hasMore: true },
      ],
      ['what is above the watermark', 5_001, {}, 4, { positions: [5], watermark: 5 }],
      ['no records when none is pending', 5_001, {}, 5, { positions: [], watermark: 5 }],
    ])('reads %s', async (_, afterMs, more, watermark, expected) => {
      expect(await inputAt(startMs + afterMs, more, watermark)).toEqual({ ...nothing, ...expected });
    });

    test.each([
      ['is filled when a later record is older than 5 seconds', 5_001, 0],
      ['is not filled when only earlier records are', 5_000, 1],
    ])('a hole %s', async (_, afterMs, entries) => {
      await inputAt(startMs + afterMs);
      // The writer comes late.
      const record = { position: 3, time: startMs, entries: [{ id: a, version: 2, previousPosition: 1 }] };
      if (entries === 0) expect(() => log.log.add(record)).toThrow('has a record');
      else log.log.add(record);
      expect((await inputAt(startMs + 5_001)).positions).toEqual([1, 2, 3, 4, 5]);
      expect(log.log.records[2]?.entries).toHaveLength(entries);
    });
  });

  describe('waiting rows', () => {
    const sizes = { maxRows: 40, maxChanges: 1_000, maxSmallBytes: 0, minShareOfWaiting: 1 / 4 };
    const waiting = (): number[] => manifest().segments.map(({ waiting: rows = 0 }) => rows);
    const isNew = isOneOf('name', ['new']);

    /** Inserts rows, and absorbs them. */
    async function insert(nowMs: number, numbers: readonly number[], more: Partial<CompactionSizes> = {}) {
      for (const number of numbers) log.commit(nowMs, { [idOf(number)]: { name: 'new' } });
      await log.compactAll(nowMs + 5, { ...sizes, ...more });
    }

    /** Two full segments, of rows with even numbers. */
    beforeEach(async () => {
      log.commit(startMs, rowsFrom(0, 80, { name: 'old' }, 2));
      await log.compactAll(startMs + hourMs - 1, sizes);
      expect(rowCounts()).toEqual([40, 40]);
    });

    test('wait, and no segment is written again for a few of them', async () => {
      const before = segmentIds();
      for (const [step, number] of [5, 85, 7].entries()) await insert(startMs + hourMs + 10 * step, [number]);
      expect([segmentIds(), waiting()]).toEqual([before, [2, 1]]);
      expect(await log.ids({ filters: [isNew] })).toEqual([5, 7, 85].map(idOf));
      expect(await log.list()).toMatchObject({ total: 83 });
    });

    test('become a segment when they are behind the last one, and enough', async () => {
      const more = { minSegmentRows: 3 };
      const counts: unknown[] = [];
      for (const number of [401, 402, 3, 403]) {
        await insert(startMs + hourMs + number, [number], more);
        counts.push([rowCounts(), waiting(), manifest().waiting.length > 0]);
      }
      expect(counts).toEqual([
        [[40, 40], [0, 0], true],
        [[40, 40], [0, 0], true],
        [[40, 40], [1, 0], true],
        [[40, 40, 3], [1, 0, 0], true],
      ]);
      expect(await log.ids({ filters: [isNew] })).toEqual([3, 401, 402, 403].map(idOf));
    });

    test('are written into their segment when they are a certain share of its rows', async () => {
      const [first, second] = segmentIds();
      await insert(startMs + hourMs, [...Array.from({ length: 10 }, (_, row) => 2 * row + 1), 85]);
      expect(segmentIds()).not.toContain(first);
      expect(segmentIds()).toContain(second);
      expect(waiting().reduce((sum, count) => sum + count, 0)).toBe(1);
      expect(await log.list({ filters: [isNew] })).toMatchObject({ total: 11 });
      expect(await log.list()).toMatchObject({ total: 91 });
    });

    test('are written into the segment with the most of them when too many wait', async () => {
      const [first] = segmentIds();
      await insert(startMs + hourMs, [5, 81, 83, 85], { maxWaitingRows: 3 });
      expect(segmentIds()[0]).toBe(first);
      expect(rowCounts()).toEqual([40, 43]);
      expect(waiting()).toEqual([1, 0]);
    });

    test('make a segment grow somewhat before it is divided', async () => {
      const share = { minShareOfWaiting: 1 / 10 };
      await insert(startMs + hourMs, [1, 3, 5, 7, 9], share);
      expect(rowCounts()).toEqual([45, 40]);
      await insert(startMs + hourMs + 100, [11, 13, 15, 17, 19, 21], share);
      expect(rowCounts()).toEqual([40, 11, 40]);
    });
  });

  test('a column that is written again does not keep values that no row has', async () => {
    log.commit(startMs, { [a]: { name: 'a' }, [b]: { name: 'b' } });
    await log.compact(startMs + 1, { maxSmallBytes: 0 });
    for (let change = 1; change <= 20; change += 1) {
      log.commit(startMs + 10 * change, { [a]: { name: String(Math.sin(change)) } });
      await log.compactAll(startMs + 10 * change + 1, { maxShareOfColumn: 0, maxSmallBytes: 0 });
    }
    const [segment] = manifest().segments;
    const name = `${segment?.id}/${segment?.columns['name']}/name` as const;
    expect(log.log.items.get(name)?.length).toBeLessThan(40);
  });

  test('a column of ids that is written again has as many buckets as it needs', async () => {
    const random = new Random(1);
    const sizes = { bucketBytes: 200, maxShareOfColumn: 0, maxSmallBytes: 0 };
    const counts: number[] = [];
    for (const [change, projects] of [20, 1, 90].entries()) {
      const projectIds = Array.from({ length: 400 }, () => idOf(random.below(projects)));
      log.commit(
        startMs + 10 * change,
        Object.fromEntries(projectIds.map((projectId, row) => [idOf(row), { projectId }])),
      );
      await log.compactAll(startMs + 10 * change + 1, sizes);
      counts.push(manifest().segments[0]?.buckets['projectId'] ?? 1);
      const total = projectIds.filter((id) => id === idOf(0)).length;
      expect(await log.list({ filters: [isOneOf('projectId', [idOf(0)])] })).toMatchObject({ total });
    }
    expect(counts[0]).toBeGreaterThan(1);
    expect(counts[1]).toBe(1);
    expect(counts[2]).toBeGreaterThan(counts[0] as number);
  });

  test('values that deflate cannot shorten make a patch have several items, and then divide their segment', async () => {
    log.commit(startMs, rowsFrom(0, 2_600, { name: 'a' }));
    await log.compactAll(startMs + 1, { maxSmallBytes: 0 });
    const longNames = Array.from(
      { length: 2_000 },
      (_, row) => [idOf(row), { name: longText(row) }] as const,
    );
    log.commit(startMs + 10, Object.fromEntries(longNames));
    // The log throws when an item is larger than DynamoDB allows.
    await log.compactAll(startMs + 11, { maxShareOfColumn: 1, maxSmallBytes: 0 });
    expect(manifest().patches).toMatchObject([{ items: { $version: 1, name: 2 } }]);
    await log.compactAll(startMs + 11, { maxSmallBytes: 0 });
    expect([manifest().patches, manifest().segments.length]).toEqual([[], 2]);
    expect(await log.ids({ filters: [isOneOf('name', [longText(120)])] })).toEqual([idOf(120)]);
    expect(await log.list({ filters: [isOneOf('name', ['a'])] })).toMatchObject({ total: 600 });
  });
});

test('a step merges no more words than a segment has, and divides a segment that has got more', async () => {
  const sizes = { maxWords: 1_000 };
  const wordsOf = ({ rows, bytes }: Segment) => [rows, Math.round((1_000 * bytes) / maxItemBytes)];
  for (let part = 0; part < 16; part += 1) {
    log.commit(startMs, rowsFrom(100 * part, 20, { name: tenWords(part) }));
    await log.compactAll(startMs + 1, sizes);
  }
  expect(manifest().segments.map(wordsOf)).toEqual(Array(4).fill([80, 800]));
  log.commit(startMs + 2, rowsFrom(0, 20, { name: `${tenWords(1)} ${tenWords(2)}` }));
  log.commit(startMs + 2, rowsFrom(100, 20, { name: `${tenWords(1)} ${tenWords(2)}` }));
  await log.compactAll(startMs + 3, { ...sizes, maxShareOfColumn: 0 });
  expect(manifest().segments.map(wordsOf).slice(2)).toEqual(Array(3).fill([80, 800]));
  expect(rowCounts().reduce((sum, rows) => sum + rows)).toBe(320);
  expect(await log.ids({ filters: [isOneOf('name', [tenWords(15)])] })).toHaveLength(20);
});

describe('new-segments', () => {
  const build = (rows: readonly SegmentRow['values'][], sizes: Partial<CompactionSizes> = {}) =>
    fillSegments(blockOf(rows.map((values, row) => ({ id: idOf(row), version: row + 1, values }))), {
      stepId: '1-aaaaaa',
      sizes: { ...defaultSizes, maxSmallBytes: 0, ...sizes },
      requireTime: () => undefined,
    });

  test('have 32,768 rows at most', () => {
    const { segments } = build(Array<Row>(32_769).fill({}));
    expect(segments.map(({ rows }) => rows)).toEqual([32_768, 1]);
  });

  test('whose columns are larger than an item may be are divided: all but the last one are nearly full', () => {
    const { segments, items } = build(
      Array.from({ length: 5_000 }, (_, row) => ({ name: longText(row), status: 'active' })),
    );
    expect(segments.length).toBeGreaterThan(2);
    expect(segments.reduce((sum, { rows }) => sum + rows, 0)).toBe(5_000);
    expect(Math.max(...[...items.values()].map(({ length }) => length))).toBeLessThanOrEqual(maxItemBytes);
    for (const segment of segments.slice(0, -1))
      expect(isFull({ ...segment, expired: 0 }, defaultSizes)).toBe(true);
  });

  test('whose words are too many for one are divided, and then not merged', () => {
    const sizes = { ...defaultSizes, maxWords: 1_000 };
    const rows = Array.from({ length: 900 }, (_, row) => ({ $words: tenWords(row) }));
    const { segments } = build(
      [...rows, { $words: Array.from({ length: 150 }, (_, seed) => tenWords(seed)).join(' ') }],
      sizes,
    );
    expect(Math.max(...segments.slice(0, -1).map((segment) => segment.rows))).toBeLessThanOrEqual(100);
    for (const segment of segments.slice(0, -2)) expect(isFull({ ...segment, expired: 0 }, sizes)).toBe(true);
    expect(segments.at(-1)?.rows).toBe(1);
    expect(chooseMerge(makeManifest({ segments }), sizes, Date.now())).toBeUndefined();
  });
});

test('delete-garbage keeps items of steps that began less than an hour ago', async () => {
  const names = ['1-aaaaaa.0/fence', 'patch:1-aaaaaa/all'] as const;
  const memoryLog = log.log;
  await recordStep(memoryLog.open(), 1, '1-aaaaaa', { beganAt: startMs, names });
  await memoryLog.open().putItems(new Map(names.map((name) => [name, Buffer.from(name)])));
  const itemNames = (): string[] => [...memoryLog.items.keys()].toSorted();
  const live = makeManifest({ patches: [{ step: '1-aaaaaa', values: 1, bytes: 30 }] });
  await deleteGarbage(memoryLog.open(), live, startMs + garbageMs - 1);
  expect(itemNames()).toEqual([...names, 'steps/000000000001#1-aaaaaa'].toSorted());
  await deleteGarbage(memoryLog.open(), live, startMs + garbageMs);
  expect(itemNames()).toEqual(['patch:1-aaaaaa/all']);
});

describe('a manifest is not written', () => {
  const before = makeManifest({ version: 4, watermark: 70, segments: [makeSegment({})] });
  const names = manifestNames(before);
  const second = makeSegment({ id: '1-aaaaaa.1', first: idOf(4), last: idOf(6) });

  test.each([
    ['that is not the next version', { version: 6 }, 'next version'],
    ['whose columns have fewer records', { watermark: 69 }, 'does not go back'],
    ['with segments in another order', { segments: [second, makeSegment({})] }, 'behind those before it'],
    ['with a segment without rows', { segments: [makeSegment({ rows: 0 })] }, 'behind those before it'],
    [
      'with more waiting rows among segments than wait',
      { segments: [makeSegment({ waiting: 1 })] },
      'than there are',
    ],
    ['with items that nobody has written', { segments: [makeSegment({}), second] }, 'has been written'],
  ])('%s', (_, more, message) => {
    const written = message === 'has been written' ? [] : manifestNames(makeManifest({ segments: [second] }));
    const next = { ...before, version: 5 };
    assertManifest(before, next, names);
    expect(() => assertManifest(before, { ...next, ...more }, written)).toThrow(message);
  });
});

test('delete-garbage deletes the items of a long list in parts', async () => {
  const names = Array.from({ length: 4_500 }, (_, number) => `1-aaaaaa.0/ids${number}` as const);
  const writer = log.log.open();
  const deleted: number[] = [];
  const deleteItems = async (items: Parameters<typeof writer.deleteItems>[0]): Promise<void> => {
    deleted.push(items.length);
    await writer.deleteItems(items);
  };
  await recordStep(writer, 1, '1-aaaaaa', { beganAt: startMs, names });
  await writer.putItems(new Map(names.map((name) => [name, Buffer.from(name)])));
  for (let look = 0; look < 2; look += 1)
    await deleteGarbage({ ...writer, deleteItems }, makeManifest({ version: 2 }), startMs + garbageMs);
  expect(deleted).toEqual([2_000, 1, 2_000, 1, 500, 1]);
  expect([...log.log.items.keys()]).toEqual([]);
});

test('delete-garbage deletes the items of four lists, the oldest ones', async () => {
  const writer = log.log.open();
  for (let version = 1; version <= 5; version += 1)
    await recordStep(writer, version, `${version}-aaaaaa`, { beganAt: startMs, names: [] });
  await deleteGarbage(writer, makeManifest({ version: 5 }), startMs + garbageMs);
  expect([...log.log.items.keys()]).toEqual(['steps/000000000005#5-aaaaaa']);
});

test('delete-garbage removes what a step wrote that ended before its manifest', async () => {
  log.commit(startMs, rowsFrom(0, 10, { name: 'a' }));
  const writer = log.log.open();
  const putItems = async (items: Parameters<typeof writer.putItems>[0]): Promise<void> => {
    await writer.putItems(items);
    if (![...items.keys()].some((name) => name.startsWith('steps/'))) throw new Error('crashed');
  };
  await expect(step(startMs + 10_000, { writer: { ...writer, putItems } })).rejects.toThrow('crashed');
  const left = [...log.log.items.keys()].filter((name) => !name.startsWith('steps/'));
  expect(left).not.toEqual([]);
  await deleteGarbage(writer, makeManifest({}), startMs + 10_000 + garbageMs);
  expect([...log.log.items.keys()]).toEqual([]);
});

test('dynamodb-compaction-storage readHead is one consistent query, downwards from the manifest', async () => {
  const calls: unknown[] = [];
  const query = async (input: unknown) => {
    calls.push(input);
    return { items: [] };
  };
  await openLog({ query } as unknown as Database, 'acme', 'task').readHead(70_000);
  expect(calls).toEqual([
    {
      KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':partition': 'acme#task#log', ':first': 'r#0000024bh', ':last': '~' },
      ConsistentRead: true,
      ScanIndexForward: false,
    },
  ]);
});

test('locate-changes returns all values of a deleted row that is restored, and that one row less is deleted', async () => {
  log.commit(startMs, { [a]: { name: 'a', color: null }, [c]: { name: 'c', color: null } });
  await log.compact(startMs + 1);
  log.commit(startMs + 2, { [a]: undefined });
  await log.compact(startMs + 3, { maxShareOfColumn: 1 });
  const record = log.build(startMs + 4, { [a]: { name: 'a', color: null }, [b]: { name: 'b' } });
  const values = new Map(
    Object.entries({ ...notDeleted, $version: '3', name: 'a', color: null, $words: 'a' }),
  );
  const changes = [...mergeRecords([record]).values()];
  expect(await locateChanges(columnReader(), changes, startMs + 4)).toEqual({
    updates: new Map([[0, [{ row: 0, weeks: { removed: 0 }, values }]]]),
    inserts: [{ id: b, version: 1, values: { name: 'b', $words: 'b' } }],
  });
});

describe('races', () => {
  const sizes: CompactionSizes = { ...defaultSizes, maxRows: 50, maxSmallBytes: 0, minSegmentRows: 20 };
  const [blue, red] = [
    { name: 'a', color: 'blue' },
    { name: 'a', color: 'red' },
  ];

  /** Takes a step of one process. @param meanwhile what another process does before the manifest of the step. */
  function stepWhile(nowMs: number, meanwhile: () => Promise<unknown>, more: Partial<CompactionSizes> = {}) {
    const writer = log.log.open();
    const replaceManifest = async (next: Manifest) => {
      await meanwhile();
      return writer.replaceManifest(next);
    };
    return step(nowMs, { writer: { ...writer, replaceManifest }, sizes: { ...sizes, ...more } });
  }

  /** Two segments that can be merged. */
  beforeEach(async () => {
    log.commit(startMs, rowsFrom(0, 20, blue));
    await log.compact(startMs + 1, sizes);
    log.commit(startMs + 2, rowsFrom(20, 20, blue));
    await log.compact(startMs + 3, sizes);
    expect(rowCounts()).toEqual([20, 20]);
  });

  const absorbMore = async () => {
    log.commit(startMs + 20, { [idOf(3)]: red, [idOf(23)]: undefined, [idOf(500)]: red });
    await log.compact(startMs + 21, sizes);
  };

  test.each([
    ['that merges', undefined, {}],
    ['that writes columns again', rowsFrom(0, 10, red), { maxMergedRows: 1 }],
    ['that absorbs records', { [idOf(501)]: red }, {}],
  ])('a step %s is lost when another process absorbs records meanwhile', async (name, rows, more) => {
    if (rows) log.commit(startMs + 10, rows);
    if (name === 'that writes columns again') await log.compact(startMs + 11, { ...sizes, ...more });
    const before = segmentIds();
    expect(await stepWhile(startMs + 12, absorbMore, more)).toBeUndefined();
    expect(segmentIds()).toEqual(before);
    await log.compactAll(startMs + 30, sizes);
    const added = Object.keys(rows ?? {}).filter((id) => id === idOf(501)).length;
    expect(await log.list()).toMatchObject({ total: 40 + added });
    const reds = new Set([...Object.keys(rows ?? {}), idOf(3), idOf(500)]).size;
    expect(await log.list({ filters: [isOneOf('color', ['red'])] })).toMatchObject({ total: reds });
  });

  test('a merge that is urgent is not lost to records: other processes merge too before they absorb more', async () => {
    const urgent = { ...sizes, maxOpenSegments: 1 };
    const other = async () => {
      log.commit(startMs + 20, { [idOf(3)]: red });
      expect(await log.compact(startMs + 21, urgent)).toMatchObject({ records: 0, hasMore: true });
    };
    expect(await stepWhile(startMs + 12, other, urgent)).toBeUndefined();
    expect(rowCounts()).toEqual([40]);
  });
});

describe('rebuild', () => {
  const rebuiltAt = startMs + minuteMs;

  beforeEach(() => {
    setTimeAndChance(new VirtualTime(1, rebuiltAt));
  });

  afterEach(() => setTimeAndChance());

  const timeIsOver = (): never => {
    throw new StoreUnavailable('the time is over');
  };

  /** Rebuilds the log from entities of the first version. */
  function rebuildFrom(rows: Readonly<Record<string, Row>>, source: Partial<RebuildSource> = {}) {
    const entities = Object.entries(rows).map(([id, values]): [string, SegmentRow] => [
      id,
      { id, version: 1, values },
    ]);
    return rebuild({
      // It takes longer than one deadline.
      open: () => ({ ...log.log.open(), requireTime: timeIsOver }),
      ids: new Set(Object.keys(rows)),
      position: 1,
      readRows: async (ids) => new Map(entities.filter(([id]) => ids.includes(id))),
      ...source,
    });
  }

  test.each<[string, Record<string, Row>]>([
    ['has missed', { [a]: { name: 'a' }, [d]: { name: 'd' } }],
    ['has seen', { [b]: { name: 'b' }, [d]: { name: 'd2' } }],
  ])('leaves changes to the log that the scan %s', async (_, rows) => {
    log.commit(startMs, { [a]: { name: 'a' }, [d]: { name: 'd' } });
    log.commit(startMs, { [a]: undefined, [b]: { name: 'b' }, [d]: { name: 'd2' } });
    await rebuildFrom(rows);
    expect(manifest().watermark).toBe(1);
    expect(await log.ids({ filters: [isOneOf('name', ['d'])] })).toEqual([]);
    expect(await log.list({ filters: [isOneOf('name', ['d2'])] })).toMatchObject({ total: 1 });
    for (const isAbsorbed of [false, true]) {
      if (isAbsorbed) await log.compact(rebuiltAt);
      expect(await log.list()).toMatchObject({ total: 2, rows: [{ id: b }, { id: d, version: 2 }] });
    }
  });

  test('begins at the end of a log, whose holes it fills, and can set the watermark back', async () => {
    log.commit(startMs, { [a]: { name: 'a' } });
    log.takePosition();
    log.commit(startMs, { [a]: { name: 'a2' }, [b]: { name: 'b' } });
    const position = await fillAllHoles(log.log.open());
    expect([position, log.log.records.map(({ entries }) => entries.length)]).toEqual([3, [1, 0, 2]]);
    log.commit(startMs, { [c]: { name: 'c' } });
    await log.compact(startMs);
    expect(manifest().watermark).toBe(4);
    await rebuildFrom({ [a]: { name: 'a2' }, [b]: { name: 'b' } }, { position });
    expect(manifest()).toMatchObject({ version: 2, watermark: 3, segments: [{ rows: 2 }] });
    expect(await log.ids()).toEqual([a, b, c]);
  });

  test('begins again when a step of compaction has replaced the manifest meanwhile', async () => {
    log.commit(startMs, { [a]: { name: 'a' } });
    log.commit(startMs, { [b]: { name: 'b' } });
    const replaceManifest = async (after: Manifest): Promise<boolean> => {
      if (after.version === 1) await log.compact(rebuiltAt);
      return log.log.open().replaceManifest(after);
    };
    await rebuildFrom({ [a]: { name: 'a' } }, { open: () => ({ ...log.log.open(), replaceManifest }) });
    expect(manifest()).toMatchObject({ version: 2, watermark: 1, segments: [{ rows: 1 }] });
  });

  test('lists what it replaces, however many items that are', async () => {
    const buckets = { $words: 400_000 };
    log.log.manifest = makeManifest({
      watermark: 1,
      segments: [makeSegment({ columns: { $words: '1-aaaaaa' }, buckets })],
    });
    await rebuildFrom({ [a]: { name: 'a' } });
    expect(manifest().segments).toMatchObject([{ first: a, rows: 1 }]);
  });

  test('whose process ends before the manifest leaves items that a step deletes after a day', async () => {
    let calls = 0;
    const readRows = async (ids: readonly string[]) => {
      calls += 1;
      if (calls === 3) throw new Error('ended');
      return new Map(ids.map((id) => [id, { id, version: 1, values: { name: 'a' } }]));
    };
    const sizes = { ...defaultSizes, maxRows: 16, maxSmallBytes: 0 };
    const rebuilt = rebuildFrom(rowsFrom(0, 40, { name: 'a' }), { sizes, readRows });
    await expect(rebuilt).rejects.toThrow('ended');
    const left = [...log.log.items.keys()];
    expect(left.length).toBeGreaterThan(6);
    // A step cleans up after earlier ones in the order of their ids: the second one comes past the first one.
    for (const afterMs of [garbageMs, 3 * garbageMs, dayMs + garbageMs]) {
      log.commit(rebuiltAt + afterMs, { [idOf(99)]: { name: 'n' } });
      await log.compact(rebuiltAt + afterMs);
      expect(left.filter((name) => log.log.items.has(name))).toEqual(afterMs < dayMs ? left : []);
    }
  });
});

describe('step-share', () => {
  test('a step that does not finish is tried smaller, until one finishes', async () => {
    const memory = newMemory();
    const sizes = { ...defaultSizes, maxChanges: 64, maxSmallBytes: 0 };
    /** Takes a step that has time to write some items. */
    const stepOf = (writes: number) => {
      const open = log.log.open();
      let left = writes;
      const writer: CompactionSource['writer'] = {
        ...open,
        remainingMs: () => (left > 0 ? 10_000 : 0),
        putItems: async (items) => {
          left -= items.size;
          if (left <= 0) throw new StoreUnavailable('the time is over');
          await open.putItems(items);
        },
      };
      return step(startMs + minuteMs, { writer, memory, sizes });
    };
    for (let row = 0; row < 300; row += 1) log.commit(startMs + row, rowsFrom(row, 1, { name: 'a' }));
    // Each chunk of 240 ids and each column is an item.
    await expect(stepOf(6)).resolves.toMatchObject({ records: 64, hasMore: true });
    await expect(stepOf(1)).rejects.toThrow(CompactionTooSlow);
    await expect(stepOf(1)).rejects.toThrow('50 % of a full one');
    for (const records of [16, 32, 64]) await expect(stepOf(6)).resolves.toMatchObject({ records });
    expect(await log.list({ limit: 1 })).toMatchObject({ total: 300 });
  });

  test('a step with little time is smaller', () => {
    const shares = [10_000, 4_000, 1_000, 0].map((ms) => stepShare(newMemory(), ms));
    expect(shares).toEqual([1, 1, 1 / 16, 1 / 1_024]);
  });
});
