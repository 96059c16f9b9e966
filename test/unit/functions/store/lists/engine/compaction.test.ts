import fc from 'fast-check';
import type { Database } from '#functions/store/dynamodb/database.ts';
import { Deadline } from '#functions/store/dynamodb/deadline.ts';
import {
  chooseColumns,
  chooseMerge,
  isFull,
  liveRows,
} from '#functions/store/lists/engine/compaction/choose-step.ts';
import { compact } from '#functions/store/lists/engine/compaction/compact.ts';
import type { CompactionSource } from '#functions/store/lists/engine/compaction/compaction-source.ts';
import { deleteGarbage, recordStep } from '#functions/store/lists/engine/compaction/delete-garbage.ts';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { lateRecords } from '#functions/store/lists/engine/compaction/late-changes.ts';
import { locateChanges } from '#functions/store/lists/engine/compaction/locate-changes.ts';
import {
  buildSegments,
  counter,
  fillSegments,
  type NewSegments,
  type SegmentOptions,
} from '#functions/store/lists/engine/compaction/new-segments.ts';
import { countOutOfOrder, placeRows } from '#functions/store/lists/engine/compaction/place-rows.ts';
import { type RebuildSource, rebuild } from '#functions/store/lists/engine/compaction/rebuild.ts';
import {
  blockOf,
  type RowBlock,
  type SegmentRow,
} from '#functions/store/lists/engine/compaction/row-block.ts';
import { type CompactionSizes, defaultSizes } from '#functions/store/lists/engine/compaction/sizes.ts';
import { sizesOfShare, stepShare } from '#functions/store/lists/engine/compaction/step-share.ts';
import { columnValues, decodeColumn } from '#functions/store/lists/engine/format/column.ts';
import { chunkRows, countIds, encodeIds } from '#functions/store/lists/engine/format/ids.ts';
import {
  emptyManifest,
  encodeManifest,
  type ItemName,
  isBucketName,
  type Manifest,
  manifestNames,
  maxItemBytes,
  type Segment,
  segmentNames,
} from '#functions/store/lists/engine/format/manifest.ts';
import { decodeSmallSegment } from '#functions/store/lists/engine/format/small-segment.ts';
import { mergeRecords } from '#functions/store/lists/engine/merge-records.ts';
import { type LogMemory, ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import { ColumnReader } from '#functions/store/lists/engine/read/column-reader.ts';
import { isText } from '#functions/store/lists/engine/read/row-filter.ts';
import type { LogWriter } from '#functions/store/lists/engine/storage.ts';
import { defaultHistoryDays, type LogRecord } from '#functions/store/model/change-log.ts';
import { CompactionTooSlow, StoreUnavailable } from '#functions/store/model/errors.ts';
import { firstIdAt } from '#functions/store/model/ids.ts';
import { garbageMs, marginMs } from '#functions/store/model/log-timing.ts';
import type { Row } from '#functions/store/model/row.ts';
import { Crash, MemoryLog } from '#test/simulation/memory-log.ts';
import { Random } from '#test/simulation/random.ts';
import { allRows, idOf, LogBuilder, startMs } from '#test/support/log-builder.ts';
import { readRows } from '#test/support/read-rows.ts';
import { makeManifest, makeSegment } from '#test/support/segments.ts';

describe('choose-step', () => {
  const sizes = { ...defaultSizes, maxRows: 100, maxMergedRows: 200, maxOpenSegments: 4 };

  /** Each of them settled before the watermark. */
  const watermark = startMs + 1_000_000;

  /** Rows of a segment, and deleted ones among them. */
  type Count = number | readonly [rows: number, deleted: number];

  /** Returns neighbouring segments with numbers of rows, and of deleted ones. */
  const segmentsOf = (...counts: readonly Count[]): Segment[] =>
    counts.map((count, position) => {
      const [rows, deleted] = typeof count === 'number' ? [count, 0] : count;
      const [first, last] = [idOf(100 * position), idOf(100 * position + 99)];
      return makeSegment({ id: `1-aaaaaa.${position}`, first, last, rows, deleted, bytes: 100 * rows });
    });

  const merge = (segments: readonly Segment[], more: Partial<typeof sizes> = {}) =>
    chooseMerge(makeManifest({ segments, watermark }), { ...sizes, ...more });

  const ofCounts = (...counts: readonly Count[]) => merge(segmentsOf(...counts));

  describe('neighbouring segments', () => {
    test('are merged when none has more rows than the others together', () => {
      expect(ofCounts()).toBeUndefined();
      expect(ofCounts(10)).toBeUndefined();
      expect(ofCounts(20, 10)).toBeUndefined();
      expect(ofCounts(10, 10)).toEqual({ from: 0, to: 2, isUrgent: false });
      expect(ofCounts(64, 20, 10, 10)).toEqual({ from: 1, to: 4, isUrgent: false });
    });

    test('are merged until they fill a segment', () => {
      expect(ofCounts(40, 40, 40, 40)).toEqual({ from: 0, to: 3, isUrgent: false });
      expect(ofCounts(95, 60, 60)).toEqual({ from: 1, to: 3, isUrgent: false });
    });

    test('are not merged across full ones, or with young ones', () => {
      expect(ofCounts(10, 90, 10)).toBeUndefined();
      const segments = segmentsOf(10, 10);
      expect(chooseMerge(makeManifest({ segments, watermark: startMs + 5_150 }), sizes)).toBeUndefined();
      expect(chooseMerge(makeManifest({ segments, watermark: startMs + 5_200 }), sizes)).toMatchObject({
        to: 2,
      });
    });

    test('are not merged when a column would outgrow its item', () => {
      const [one, other] = segmentsOf(10, 10) as [Segment, Segment];
      const bytes = (share: number): number => share * sizes.maxColumnBytes;
      expect(
        merge([
          { ...one, bytes: bytes(0.5) },
          { ...other, bytes: bytes(0.39) },
        ]),
      ).toMatchObject({ to: 2 });
      expect(
        merge([
          { ...one, bytes: bytes(0.5) },
          { ...other, bytes: bytes(0.41) },
        ]),
      ).toBeUndefined();
      expect(
        merge([
          { ...one, bytes: bytes(0.76) },
          { ...other, bytes: bytes(0.1) },
        ]),
      ).toBeUndefined();
    });

    test('are not merged when the step has too little time for them', () => {
      expect(merge(segmentsOf(40, 40), { maxMergedRows: 79 })).toBeUndefined();
      expect(merge(segmentsOf(40, 40, 10, 10), { maxMergedRows: 60 })).toMatchObject({ from: 2, to: 4 });
    });

    test('are merged before more records are absorbed when there are many', () => {
      expect(ofCounts(40, 40, 40, 40)).toMatchObject({ isUrgent: false });
      expect(ofCounts(40, 40, 40, 40, 40)).toMatchObject({ isUrgent: true });
      expect(ofCounts(100, 100, 40, 40, 40, 40)).toMatchObject({ isUrgent: false });
    });
  });

  describe('a segment of which more than a quarter of the rows are deleted', () => {
    test('is written again', () => {
      expect(ofCounts([40, 10])).toBeUndefined();
      expect(ofCounts([40, 11])).toEqual({ from: 0, to: 1, isUrgent: false });
    });

    test('takes its neighbours while the sum fits', () => {
      const shrunk = [100, 80] as const;
      expect(ofCounts(90, shrunk, shrunk, shrunk, shrunk, shrunk, shrunk)).toMatchObject({ from: 1, to: 5 });
      expect(ofCounts(90, [100, 90], [100, 90], 90)).toMatchObject({ from: 1, to: 3 });
      expect(ofCounts(90, 80, [100, 80], 90)).toMatchObject({ from: 1, to: 3 });
    });

    test('does not take a larger neighbour, or one that the step has no time for', () => {
      expect(ofCounts(60, [8, 4])).toMatchObject({ from: 1, to: 2 });
      const segments = segmentsOf([100, 80], [100, 80]);
      expect(merge(segments, { maxMergedRows: 100 })).toMatchObject({ from: 0, to: 2 });
      expect(merge(segments, { maxMergedRows: 99 })).toMatchObject({ from: 0, to: 1 });
      expect(merge(segments, { maxMergedRows: 49 })).toBeUndefined();
    });
  });

  test('merges end, and leave few segments', () => {
    const count = fc
      .tuple(fc.integer({ min: 1, max: 100 }), fc.double({ min: 0, max: 1, noNaN: true }))
      .map(([rows, share]): readonly [number, number] => [rows, Math.floor(rows * share)]);
    fc.assert(
      fc.property(fc.array(count, { maxLength: 40 }), (counts) => {
        let segments = segmentsOf(...counts);
        const rows = segments.reduce((sum, segment) => sum + liveRows(segment), 0);
        for (let steps = 0; ; steps += 1) {
          expect(steps).toBeLessThanOrEqual(2 * counts.length);
          const chosen = merge(segments);
          if (!chosen) break;
          const { from, to } = chosen;
          let left = segments.slice(from, to).reduce((sum, segment) => sum + liveRows(segment), 0);
          const written: Segment[] = [];
          for (; left > 0; left -= 100) {
            const own = Math.min(left, 100);
            written.push({ ...(segments[from] as Segment), rows: own, deleted: 0, bytes: 100 * own });
          }
          segments = [...segments.slice(0, from), ...written, ...segments.slice(to)];
        }
        expect(segments.reduce((sum, segment) => sum + liveRows(segment), 0)).toBe(rows);
        // Between two full segments, the others have rows that grow by powers of two.
        const full = segments.filter((segment) => isFull(segment, sizes)).length;
        expect(segments.length).toBeLessThanOrEqual((full + 1) * 14);
      }),
      { numRuns: 300 },
    );
  });

  describe('columns', () => {
    const patched = (id: string, more: Partial<Segment>): Segment =>
      makeSegment({ id: `1-aaaaaa.${id}`, rows: 100, ...more });

    test('are written again when more than a tenth of their values are in patches, the largest shares first', () => {
      const segments = [
        patched('0', { patched: { name: 10, color: 11, status: 50 } }),
        patched('1', { patched: { name: 40 } }),
      ];
      const manifest = makeManifest({ segments });
      expect([...chooseColumns(manifest, sizes)]).toEqual([
        ['1-aaaaaa.0', ['status', 'color']],
        ['1-aaaaaa.1', ['name']],
      ]);
      expect([...chooseColumns(manifest, { ...sizes, maxRewrittenColumns: 2 })]).toEqual([
        ['1-aaaaaa.0', ['status']],
        ['1-aaaaaa.1', ['name']],
      ]);
    });

    test('of small segments are not', () => {
      const segments = [patched('0', { patched: { name: 100 }, isSmall: true })];
      expect(chooseColumns(makeManifest({ segments }), sizes).size).toBe(0);
    });
  });
});

describe('compact', () => {
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
      expect(await step(startMs + minuteMs, source)).toMatchObject({
        records: 0,
        waiting: 2,
        hasMore: false,
      });
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
      expect(await log.compact(startMs + 100, limits)).toMatchObject({
        records: 4,
        waiting: 0,
        hasMore: true,
      });
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
      expect(await log.compact(startMs + 100, { maxChanges: 5 })).toMatchObject({
        records: 2,
        hasMore: true,
      });
      expect(watermark()).toBe(1);
      expect(await log.compact(startMs + 100, { maxChangedBytes: 1_200 })).toMatchObject({
        records: 3,
        hasMore: true,
      });
      expect(watermark()).toBe(4);
    });

    test('of one stamp are absorbed together', async () => {
      for (let number = 0; number < 6; number += 1) log.commit(startMs, { [idOf(number)]: { name: 'a' } });
      for (let number = 6; number < 9; number += 1)
        log.commit(startMs + 1, { [idOf(number)]: { name: 'a' } });
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
      for (let stamp = 0; stamp < 4; stamp += 1)
        log.commit(startMs + stamp, { [idOf(stamp)]: { name: 'a' } });
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
});

describe('delete-garbage', () => {
  let log: MemoryLog;

  beforeEach(() => {
    log = new MemoryLog();
  });

  /** Records a step and writes items. */
  async function step(version: number, beganAt: number, ...names: ItemName[]): Promise<void> {
    await recordStep(log.open(), version, `${version.toString(36)}-aaaaaa`, { beganAt, names });
    await log.open().putItems(new Map(names.map((name) => [name, Buffer.from(name)])));
  }

  const itemNames = (): string[] => [...log.items.keys()].toSorted();

  describe('recordStep', () => {
    test('writes an item whose name sorts by the version of the manifest', async () => {
      await step(10, startMs);
      await step(9, startMs);
      expect(itemNames()).toEqual(['steps/000000000009#9-aaaaaa', 'steps/000000000010#a-aaaaaa']);
    });
  });

  describe('deleteGarbage', () => {
    test('deletes items of old steps that the manifest does not refer to, and then their steps', async () => {
      await step(1, startMs, '1-aaaaaa.0/fence', 'patch:1-aaaaaa/all');
      await deleteGarbage(
        log.open(),
        makeManifest({ patches: [{ step: '1-aaaaaa', values: 1, bytes: 30 }] }),
        startMs + garbageMs,
      );
      expect(itemNames()).toEqual(['patch:1-aaaaaa/all']);
    });

    test('keeps items of steps that began less than an hour ago', async () => {
      await step(1, startMs, '1-aaaaaa.0/fence');
      await deleteGarbage(log.open(), makeManifest(), startMs + garbageMs - 1);
      expect(itemNames()).toEqual(['1-aaaaaa.0/fence', 'steps/000000000001#1-aaaaaa']);
    });

    test('cleans up after the oldest four steps', async () => {
      for (const version of [1, 2, 3, 4, 5, 6]) await step(version, startMs, `${version}-aaaaaa.0/fence`);
      await deleteGarbage(log.open(), makeManifest(), startMs + garbageMs);
      expect(itemNames().filter((name) => name.endsWith('fence'))).toEqual([
        '5-aaaaaa.0/fence',
        '6-aaaaaa.0/fence',
      ]);
    });

    test('stops at the first step that is not old enough', async () => {
      await step(1, startMs, '1-aaaaaa.0/fence');
      await step(2, startMs + 10, '2-aaaaaa.0/fence');
      await step(3, startMs, '3-aaaaaa.0/fence');
      await deleteGarbage(log.open(), makeManifest(), startMs + garbageMs);
      expect(itemNames().filter((name) => name.endsWith('fence'))).toEqual([
        '2-aaaaaa.0/fence',
        '3-aaaaaa.0/fence',
      ]);
    });

    test('that crashes leaves the step for the next one', async () => {
      await step(1, startMs, '1-aaaaaa.0/fence', '1-aaaaaa.0/ids0');
      let writes = 0;
      const beforeWrite = (): void => {
        writes += 1;
        if (writes > 1) throw new Error('crash');
      };
      await expect(
        deleteGarbage(log.open({ beforeWrite }), makeManifest(), startMs + garbageMs),
      ).rejects.toThrow('crash');
      expect(itemNames()).toEqual(['1-aaaaaa.0/ids0', 'steps/000000000001#1-aaaaaa']);
      await deleteGarbage(log.open(), makeManifest(), startMs + garbageMs);
      expect(itemNames()).toEqual([]);
    });
  });
});

describe('dynamodb-compaction-storage', () => {
  let calls: unknown[];

  /** A database that notes its calls, and is empty. */
  const database = {
    async *pages(query: unknown) {
      calls.push(query);
      yield { items: [] };
    },
    query: async (query: unknown) => {
      calls.push(query);
      return { items: [] };
    },
    getMany: async (...call: unknown[]) => {
      calls.push(call);
      return [];
    },
    putItem: async (...call: unknown[]) => {
      calls.push(call);
    },
    deleteItem: async (...call: unknown[]) => {
      calls.push(call);
    },
  } as unknown as Database;

  const log = openLog(database, 'acme', 'task');

  describe('requireTime', () => {
    const logWith = (timeMs: number) =>
      openLog({ deadline: new Deadline(timeMs) } as unknown as Database, 'acme', 'task');

    test('throws when the time of the request is over', () => {
      expect(() => logWith(0).requireTime()).toThrow(StoreUnavailable);
    });

    test('does nothing while time is left', () => {
      expect(() => logWith(60_000).requireTime()).not.toThrow();
    });
  });

  beforeEach(() => {
    calls = [];
  });

  const logQuery = (first: string, last: string, ScanIndexForward: boolean) => ({
    KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':partition': 'acme#task#log', ':first': first, ':last': last },
    ConsistentRead: true,
    ScanIndexForward,
  });

  test('readHead is one consistent query, downwards from the manifest', async () => {
    await log.readHead(1_770_000_000_000);
    expect(calls).toEqual([logQuery('r#1jge3h901', '~', false)]);
  });

  test('readRecords is one consistent query downwards', async () => {
    await log.readRecords(7, 9);
    expect(calls).toEqual([logQuery('r#000000008', 'r#00000000a', false)]);
  });

  test('oldestRecords is a consistent query upwards', async () => {
    for await (const { records, hasMore } of log.oldestRecords(7, 9))
      expect([records, hasMore]).toEqual([[], false]);
    expect(calls).toEqual([logQuery('r#000000008', 'r#00000000a', true)]);
  });

  test.each([true, false])(
    'readBuckets is one query, consistent if it has to be (%j)',
    async (isConsistent) => {
      await log.readBuckets('1-aaaaaa.0/1-aaaaaa/projectId', isConsistent);
      expect(calls).toEqual([
        {
          KeyConditionExpression: 'pk = :partition AND begins_with(sk, :buckets)',
          ExpressionAttributeValues: {
            ':partition': 'acme#task#columns#1-aaaaaa.0',
            ':buckets': '1-aaaaaa/projectId.',
          },
          ConsistentRead: isConsistent,
        },
      ]);
    },
  );

  test.each([true, false])(
    'readItems reads items by key, consistently if it has to (%j)',
    async (isConsistent) => {
      await log.readItems(['1-aaaaaa.0/1-aaaaaa/name', 'patch:2-bbbbbb/all'], isConsistent);
      expect(calls).toEqual([
        [
          [
            { pk: 'acme#task#columns#1-aaaaaa.0', sk: '1-aaaaaa/name' },
            { pk: 'acme#task#columns#patch:2-bbbbbb', sk: 'all' },
          ],
          isConsistent,
        ],
      ]);
    },
  );

  test('listItems queries the first items of one partition', async () => {
    await log.listItems('steps', 4);
    expect(calls).toEqual([
      {
        KeyConditionExpression: 'pk = :partition',
        ExpressionAttributeValues: { ':partition': 'acme#task#columns#steps' },
        Limit: 4,
      },
    ]);
  });

  test('putItems and deleteItems write each item by its key', async () => {
    const bytes = Buffer.from('a');
    await log.putItems(new Map([['1-aaaaaa.0/ids0', bytes]]));
    await log.deleteItems(['1-aaaaaa.0/ids0']);
    const key = { pk: 'acme#task#columns#1-aaaaaa.0', sk: 'ids0' };
    expect(calls).toEqual([[{ ...key, bytes }], [key]]);
  });

  test('replaceManifest puts the manifest under the condition of its version', async () => {
    await log.replaceManifest({ ...emptyManifest, version: 1 });
    await log.replaceManifest({ ...emptyManifest, version: 2 });
    const item = { pk: 'acme#task#log', sk: '~', format: 6, state: expect.any(Buffer) };
    expect(calls).toEqual([
      [{ ...item, version: 1 }, { expression: 'attribute_not_exists(pk)' }],
      [
        { ...item, version: 2 },
        { expression: '#version = :version', names: { '#version': 'version' }, values: { ':version': 1 } },
      ],
    ]);
  });
});

describe('late-changes', () => {
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
});

describe('locate-changes', () => {
  const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string];

  let log: LogBuilder;

  beforeEach(async () => {
    log = new LogBuilder();
    log.commit(startMs, { [a]: { name: 'a', color: null }, [c]: { name: 'c', color: null } });
    await log.compact(startMs + 1);
  });

  const columnReader = (): ColumnReader =>
    new ColumnReader(
      log.log.manifest ?? emptyManifest,
      log.log.open(),
      new ProcessMemory().of('acme', 'task'),
    );

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
});

describe('new-segments', () => {
  const rowsOf = (
    count: number,
    valuesOf = (row: number): SegmentRow['values'] => ({ name: `name ${row}` }),
  ): RowBlock =>
    blockOf(
      Array.from({ length: count }, (_, row) => ({
        id: idOf(row),
        version: row + 1,
        values: valuesOf(row),
      })),
    );

  const valuesIn = ({ items }: NewSegments, name: ItemName) =>
    columnValues(decodeColumn(items.get(name) as Uint8Array));

  /** No segment is one item. */
  const optionsOf = (maxRows: number, bucketBytes = 3_000, maxSmallBytes = 0): SegmentOptions => ({
    stepId: '1-aaaaaa',
    sizes: { ...defaultSizes, maxRows, bucketBytes, maxSmallBytes },
    nextNumber: counter(),
    requireTime: () => undefined,
  });

  const rowsIn = ({ segments }: NewSegments): number[] => segments.map(({ rows }) => rows);

  describe('buildSegments', () => {
    test('returns no segment without rows', () => {
      expect(buildSegments(blockOf([]), optionsOf(10))).toEqual({ segments: [], items: new Map() });
    });

    test('returns the columns of all fields, the versions, the ids and the fence', () => {
      const rows: SegmentRow[] = [
        { id: idOf(1), version: 3, values: { name: 'a', color: null } },
        { id: idOf(2), version: 1, values: { name: 'b' } },
      ];
      const built = buildSegments(blockOf(rows), optionsOf(10));
      expect(built.segments).toEqual([
        {
          id: '1-aaaaaa.0',
          first: idOf(1),
          last: idOf(2),
          rows: 2,
          deleted: 0,
          columns: { name: '1-aaaaaa', color: '1-aaaaaa', $version: '1-aaaaaa' },
          buckets: {},
          patched: {},
          bytes: expect.any(Number),
        },
      ]);
      expect(valuesIn(built, '1-aaaaaa.0/1-aaaaaa/name')).toEqual(['a', 'b']);
      expect(valuesIn(built, '1-aaaaaa.0/1-aaaaaa/color')).toEqual([null, undefined]);
      expect(valuesIn(built, '1-aaaaaa.0/1-aaaaaa/$version')).toEqual(['3', '1']);
      expect(built.items.get('1-aaaaaa.0/ids0')).toEqual(encodeIds([idOf(1), idOf(2)]));
      expect(built.items.get('1-aaaaaa.0/fence')).toEqual(encodeIds([idOf(1)]));
    });

    test.each([
      [10, [10]],
      [11, [6, 5]],
      [25, [9, 9, 7]],
    ])('divides %i rows evenly into segments of at most 10 rows', (count, sizes) => {
      const built = buildSegments(rowsOf(count), optionsOf(10));
      expect(rowsIn(built)).toEqual(sizes);
      expect(built.segments.map(({ id }) => id)).toEqual(sizes.map((_, part) => `1-aaaaaa.${part}`));
    });

    test.each([
      [10, [10]],
      [11, [10, 1]],
      [25, [10, 10, 5]],
    ])('fills segments with %i rows when later rows can be merged with the last one', (count, sizes) => {
      expect(rowsIn(fillSegments(rowsOf(count), optionsOf(10)))).toEqual(sizes);
    });

    test('numbers the segments of several calls on', () => {
      const options = optionsOf(10);
      const built = [buildSegments(rowsOf(1), options), buildSegments(rowsOf(1), options)];
      const ids = built.flatMap(({ segments }) => segments.map(({ id }) => id));
      expect(ids).toEqual(['1-aaaaaa.0', '1-aaaaaa.1']);
    });

    test('writes exactly the items that the manifest refers to', () => {
      const { segments, items } = buildSegments(rowsOf(chunkRows + 1), optionsOf(1_000));
      expect([...items.keys()].toSorted()).toEqual(segments.flatMap(segmentNames).toSorted());
      expect(countIds(items.get('1-aaaaaa.0/ids1') as Buffer)).toBe(1);
    });

    test('writes a large column of ids as buckets', () => {
      const random = new Random(1);
      const rows = rowsOf(600, () => ({ projectId: idOf(random.below(50)) }));
      const { segments, items } = buildSegments(rows, optionsOf(600, 200));
      const [segment] = segments;
      const { projectId: count = 0, ...others } = segment?.buckets ?? {};
      expect(count).toBeGreaterThan(1);
      expect(others).toEqual({});
      expect([...items.keys()].filter(isBucketName)).toHaveLength(count);
      expect([...items.keys()].toSorted()).toEqual(segmentNames(segment as Segment).toSorted());
    });

    describe('whose columns are larger than an item may be', () => {
      const random = new Random(1);
      // Deflate cannot shorten them much.
      const texts = Array.from({ length: 6_000 }, () =>
        Array.from({ length: 200 }, () => String.fromCharCode(33 + random.below(90))).join(''),
      );
      const block = rowsOf(texts.length, (row) => ({ name: texts[row] as string, status: 'active' }));

      test('are divided: all but the last one are nearly full', () => {
        const { segments, items } = buildSegments(block, optionsOf(16_384));
        expect(segments.length).toBeGreaterThan(2);
        expect(segments.reduce((sum, { rows }) => sum + rows, 0)).toBe(texts.length);
        expect(Math.max(...[...items.values()].map(({ length }) => length))).toBeLessThanOrEqual(
          maxItemBytes,
        );
        for (const segment of segments.slice(0, -1)) expect(isFull(segment, defaultSizes)).toBe(true);
        expect([...items.keys()].toSorted()).toEqual(segments.flatMap(segmentNames).toSorted());
      });

      test('are encoded at most twice', () => {
        let encoded = 0;
        const requireTime = (): void => {
          encoded += 1;
        };
        const { segments } = buildSegments(block, { ...optionsOf(16_384), requireTime });
        expect(encoded).toBe(3 + 3 * segments.length);
      });
    });

    test('of few bytes are one item each', () => {
      const rows: SegmentRow[] = [
        { id: idOf(1), version: 3, values: { name: 'a', color: null } },
        { id: idOf(2), version: 1, values: { name: 'b' } },
      ];
      const { segments, items } = buildSegments(blockOf(rows), optionsOf(10, 3_000, 400));
      const name = '1-aaaaaa.0/all';
      const bytes = items.get(name)?.length;
      expect(segments).toEqual([
        expect.objectContaining({ id: '1-aaaaaa.0', rows: 2, buckets: {}, bytes, isSmall: true }),
      ]);
      expect([...items.keys()]).toEqual([name]);
      const { ids, columns } = decodeSmallSegment(items.get(name) as Uint8Array);
      expect(ids).toEqual(encodeIds([idOf(1), idOf(2)]));
      expect([...columns].map(([field, column]) => [field, columnValues(column)])).toEqual([
        ['name', ['a', 'b']],
        ['color', [null, undefined]],
        ['$version', ['3', '1']],
      ]);
      expect(buildSegments(rowsOf(200), optionsOf(1_000, 3_000, 400)).segments[0]?.isSmall).toBeUndefined();
    });
  });
});

describe('place-rows', () => {
  const maxRows = 100;
  const sizes = { ...defaultSizes, maxRows, maxChanges: 200 };

  /** Ids from this one on are young in tests. */
  const youngId = idOf(10_000);

  const segmentFrom = (first: number, last: number, rows: number, deleted = 0): Segment =>
    makeSegment({ id: `1-aaaaaa.${first}`, first: idOf(first), last: idOf(last), rows, deleted });

  const insertsOf = (...numbers: readonly number[]): SegmentRow[] =>
    numbers.map((number) => ({ id: idOf(number), version: 1, values: {} }));

  const place = (segments: readonly Segment[], ...numbers: readonly number[]) =>
    placeRows(segments, insertsOf(...numbers), youngId, sizes);

  /** What is expected of rows of which none waits. */
  const placed = (from: number, ...numbers: readonly number[]) => ({
    from,
    inserts: insertsOf(...numbers),
    outOfOrder: [],
  });

  test('nothing is written again without new rows', () => {
    expect(place([])).toEqual(placed(0));
    expect(place([segmentFrom(1, 50, 50), segmentFrom(51, 60, 5)])).toEqual(placed(2));
  });

  test('the first rows become a segment of their own', () => {
    expect(place([], 1, 2)).toEqual(placed(0, 1, 2));
  });

  describe('new rows', () => {
    test('become a segment of their own after larger ones', () => {
      expect(place([segmentFrom(1, 50, 50)], 51, 52)).toEqual(placed(1, 51, 52));
    });

    test('are merged with the last segments that have at most as many rows as all after them', () => {
      const segments = [segmentFrom(1, 50, 50), segmentFrom(51, 54, 4), segmentFrom(55, 56, 2)];
      expect(place(segments, 57, 58)).toEqual(placed(1, 57, 58));
    });

    test('are merged with a segment that they fill', () => {
      const numbers = Array.from({ length: 95 }, (_, number) => 100 + number);
      expect(place([segmentFrom(1, 89, 89)], ...numbers)).toEqual(placed(0, ...numbers));
    });

    test('are not merged with a segment that is nine tenths full', () => {
      const numbers = Array.from({ length: 95 }, (_, number) => 100 + number);
      expect(place([segmentFrom(1, 90, 90)], ...numbers)).toEqual(placed(1, ...numbers));
    });

    test('are not merged with segments that make the step too large', () => {
      const segments = [segmentFrom(1, 85, 85), segmentFrom(86, 160, 70)];
      const numbers = Array.from({ length: 75 }, (_, number) => 200 + number);
      expect(place(segments, ...numbers)).toEqual(placed(1, ...numbers));
    });

    test('are not merged with a segment whose columns are nearly full, or would be', () => {
      const numbers = [100, 101];
      const bytes = sizes.maxColumnBytes;
      const alone = placed(1, ...numbers);
      expect(place([{ ...segmentFrom(1, 2, 2), bytes: 0.76 * bytes }], ...numbers)).toEqual(alone);
      expect(place([{ ...segmentFrom(1, 2, 2), bytes: 0.74 * bytes }], ...numbers)).toMatchObject({
        from: 0,
      });
      const inserts = insertsOf(...numbers).map((row) => ({
        ...row,
        values: { name: 'a'.repeat(0.1 * bytes) },
      }));
      const large = [{ ...segmentFrom(1, 2, 2), bytes: 0.6 * bytes }];
      expect(placeRows(large, inserts, youngId, sizes)).toEqual({ from: 1, inserts, outOfOrder: [] });
    });

    test('are merged with a larger segment that has greater ids', () => {
      const segments = [segmentFrom(1, 85, 85), segmentFrom(10_000, 10_080, 80)];
      expect(place(segments, 10_040)).toEqual(placed(1, 10_040));
    });

    test('do not count deleted rows of a segment', () => {
      const segments = [segmentFrom(1, 50, 10, 8)];
      expect(place(segments, 51, 52)).toEqual(placed(0, 51, 52));
    });
  });

  describe('a row that comes out of order', () => {
    const segments = [segmentFrom(1, 50, 40), segmentFrom(60, 90, 30), segmentFrom(100, 190, 80)];

    test('waits when its segment is not written again', () => {
      expect(place(segments, 0, 55, 70)).toEqual({ from: 3, inserts: [], outOfOrder: insertsOf(0, 55, 70) });
    });

    test('waits beside new rows after its segment', () => {
      expect(place(segments, 70, 200)).toEqual({
        from: 3,
        inserts: insertsOf(200),
        outOfOrder: insertsOf(70),
      });
    });

    test('is counted with the segment whose ids it is among, or with the first one', () => {
      const counted = countOutOfOrder(
        [{ ...(segments[0] as Segment), outOfOrder: 7 }, ...segments.slice(1)],
        [...insertsOf(0, 55, 70)],
      );
      expect(counted.map(({ outOfOrder }) => outOfOrder)).toEqual([2, 1, undefined]);
    });

    test('is written together with new rows when its segment is merged with them', () => {
      const small = [segmentFrom(1, 50, 40), segmentFrom(60, 70, 2)];
      expect(place(small, 65, 80, 90)).toEqual(placed(1, 65, 80, 90));
    });
  });

  describe('any rows and segments', () => {
    /** Segments with disjoint ids, and rows that they do not have. */
    const situation = fc
      .record({
        rowCounts: fc.array(fc.integer({ min: 1, max: maxRows }), { maxLength: 8 }),
        isYoung: fc.boolean(),
        deletedShare: fc.double({ min: 0, max: 1, noNaN: true }),
        inserted: fc.uniqueArray(fc.nat({ max: 1_999 }), { maxLength: 30 }),
      })
      .map(({ rowCounts, isYoung, deletedShare, inserted }) => {
        const base = isYoung ? 9_000 : 0;
        const segments = rowCounts.map((rows, position) =>
          segmentFrom(
            base + 400 * position + 2,
            base + 400 * position + 2 + 2 * rows,
            rows,
            Math.floor(rows * deletedShare * (position % 2)),
          ),
        );
        const numbers = inserted.map((number) => base + 2 * number + 1).toSorted((one, other) => one - other);
        return { segments, numbers };
      });

    test('are placed once, and leave all segments in the order of ids', () => {
      fc.assert(
        fc.property(situation, ({ segments, numbers }) => {
          const { from, inserts, outOfOrder } = place(segments, ...numbers);
          expect([...inserts, ...outOfOrder].map(({ id }) => id).toSorted()).toEqual(
            insertsOf(...numbers).map(({ id }) => id),
          );
          const lastKept = segments[from - 1]?.last ?? '';
          for (const { id } of inserts) expect(id > lastKept).toBe(true);
          for (const { id } of outOfOrder) expect(id < (segments[from]?.first ?? youngId)).toBe(true);
        }),
        { numRuns: 500 },
      );
    });
  });
});

describe('prices', () => {
  /** What compaction costs, in write units: an item costs one for each KB, when it is written and when it is deleted. */

  const dayMs = 86_400_000;

  let log: LogBuilder;
  let memory: LogMemory;
  let random: Random;
  let units: number;

  beforeEach(() => {
    log = new LogBuilder();
    memory = new ProcessMemory().of('acme', 'task');
    random = new Random(1);
    units = 0;
  });

  /** Bytes of a key, and of the names of attributes. */
  const keyBytes = 100;

  const unitsOf = (bytes: number): number => Math.ceil((bytes + keyBytes) / 1024);

  function countingWriter(): LogWriter {
    const open = log.log.open();
    return {
      ...open,
      putItems: (items) => {
        for (const { length } of items.values()) units += unitsOf(length);
        return open.putItems(items);
      },
      deleteItems: (names) => {
        for (const name of names) units += unitsOf(log.log.items.get(name)?.length ?? 0);
        return open.deleteItems(names);
      },
      replaceManifest: (manifest) => {
        units += unitsOf((encodeManifest(manifest)['state'] as Buffer).length);
        return open.replaceManifest(manifest);
      },
    };
  }

  async function compactAll(nowMs: number): Promise<void> {
    while ((await compact({ writer: countingWriter(), memory, nowMs }))?.hasMore);
    log.log.records.length = 0;
  }

  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => random.below(16).toString(16)).join('');

  const idAt = (timeMs: number): string =>
    `${firstIdAt(timeMs).slice(0, 14)}7${hex(3)}-8${hex(3)}-${hex(12)}`;

  const projectIds = Array.from({ length: 50 }, (_, project) => firstIdAt(startMs - 1e6 * project));

  const typicalRow = (timeMs: number): Row => ({
    name: `Call ${random.below(10_000)} about the contract ${hex(6)}`,
    status: random.pick(['planned', 'active', 'completed']),
    priority: random.pick(['none', 'low', 'medium', 'high']),
    projectId: random.pick(projectIds),
    userId: random.pick(projectIds),
    description: `See the notes of the call ${hex(40)}.`,
    dueDate: new Date(timeMs + random.below(100) * dayMs).toISOString().slice(0, 10),
    tagIds: random.pick(projectIds),
    updatedAt: new Date(timeMs).toISOString(),
  });

  /** Writes some transactions at a rate, in a log of 10,000 rows. Returns the write units for each of them. */
  async function priceOf(
    intervalMs: number,
    lookMs: number,
    writes: number,
    isCreate: boolean,
  ): Promise<number> {
    const rows = new Map<string, Row>();
    for (let number = 0; number < 10_000; number += 1)
      rows.set(idAt(startMs + 10 * number), typicalRow(startMs));
    let now = startMs + 200_000;
    log.commit(now, Object.fromEntries(rows));
    await compactAll(now + 2 * dayMs);
    const ids = [...rows.keys()];
    now += 2 * dayMs;
    units = 0;
    for (let looked = now, write = 0; write < writes; write += 1) {
      now += intervalMs;
      const id = isCreate ? idAt(now) : random.pick(ids);
      const before = rows.get(id);
      const changed = { priority: random.pick(['none', 'low', 'medium', 'high']) };
      const row = before
        ? { ...before, ...changed, updatedAt: new Date(now).toISOString() }
        : typicalRow(now);
      rows.set(id, row);
      log.commit(now, { [id]: row });
      for (; looked + lookMs <= now; looked += lookMs) {
        const { records } = log.log;
        // Records that a look does not absorb stay for the next one.
        const pending = [...records];
        await compactAll(looked + lookMs);
        const { watermark } = log.log.manifest as Manifest;
        records.push(...pending.filter(({ stamp }) => stamp > watermark));
      }
    }
    return units / writes;
  }

  describe.each([
    ['one write a day', dayMs, dayMs / 4, 60, 7, 9],
    ['one write a minute', 60_000, 60_000, 600, 1, 1.5],
    ['one write in two seconds', 2_000, 15_000, 600, 1, 1.5],
  ])('%s', (_, intervalMs, lookMs, writes, maxChange, maxCreate) => {
    test('costs few write units if it is a change', async () => {
      expect(await priceOf(intervalMs, lookMs, writes, false)).toBeLessThan(maxChange);
    });

    test('costs few write units if it is a create', async () => {
      const price = await priceOf(intervalMs, lookMs, writes, true);
      expect(price).toBeGreaterThan(0);
      expect(price).toBeLessThan(maxCreate);
    });
  });

  test('a row with 50 tags and long texts of another script costs less than ten write units', async () => {
    const tags = Array.from({ length: 300 }, () => idAt(startMs));
    const text = (length: number): string =>
      Array.from({ length }, () => String.fromCharCode(0x4e00 + random.below(3_000))).join('');
    const rowCount = 3_000;
    let now = startMs;
    for (let number = 0; number < rowCount; number += 1) {
      now += 100;
      const tagIds = Array.from({ length: 50 }, () => random.pick(tags)).join(',');
      log.commit(now, {
        [idAt(now)]: { ...typicalRow(now), name: text(255), description: text(100), tagIds },
      });
      if (number % 100 === 99) await compactAll(now + marginMs);
    }
    expect(units / rowCount).toBeLessThan(10);
    expect(log.log.manifest?.segments.length).toBeLessThan(12);
  });
});

describe('races', () => {
  /** Two processes take steps of one log. Each test lets the second one take its steps while the first one writes its items. */

  let log: LogBuilder;

  beforeEach(() => {
    log = new LogBuilder();
  });

  /** A time at which no row is young. */
  const laterMs = startMs + 60_000;

  const sizes: CompactionSizes = { ...defaultSizes, maxRows: 50, maxSmallBytes: 0, maxUndividedRows: 0 };

  const rowsFrom = (first: number, count: number, row: Row): Record<string, Row> =>
    Object.fromEntries(Array.from({ length: count }, (_, number) => [idOf(first + number), row]));

  /** Takes a step. @param meanwhile is called before each of its manifests. */
  function step(nowMs: number, meanwhile: () => Promise<unknown> = async () => undefined) {
    const open = log.log.open();
    const replaceManifest: LogWriter['replaceManifest'] = async (manifest) => {
      await meanwhile();
      return open.replaceManifest(manifest);
    };
    const memory = new ProcessMemory().of('acme', 'task');
    return compact({
      writer: { ...open, replaceManifest },
      memory,
      nowMs,
      marginMs: 0,
      isForced: true,
      sizes,
    });
  }

  const segmentIds = (): readonly string[] => log.log.manifest?.segments.map(({ id }) => id) ?? [];
  const rowCounts = (): readonly number[] => log.log.manifest?.segments.map(({ rows }) => rows) ?? [];

  const red = { filters: [isText('color', 'red')] };

  describe('a merge', () => {
    beforeEach(async () => {
      log.commit(startMs, rowsFrom(0, 20, { name: 'a', color: 'blue' }));
      await log.compact(startMs + 1, sizes);
      log.commit(startMs + 2, rowsFrom(20, 20, { name: 'b', color: 'blue' }));
      // A step that has too little time to merge the new rows at once.
      await log.compact(laterMs + 20_000, { ...sizes, maxChanges: 20 });
      expect(rowCounts()).toEqual([20, 20]);
    });

    test('that takes long is written although another process absorbs records all the time', async () => {
      const before = segmentIds();
      let absorbed = 0;
      const result = await step(laterMs + 20_000, async () => {
        absorbed += 1;
        if (absorbed > 8) return;
        const stamp = laterMs + 20_000 + 10 * absorbed;
        log.commit(stamp, {
          [idOf(absorbed)]: { name: 'a', color: 'red' },
          [idOf(20 + absorbed)]: undefined,
          [idOf(2_000 + absorbed)]: { name: 'd', color: 'red' },
        });
        await log.compact(stamp + 1, sizes);
      });
      expect(result).toMatchObject({ hasMore: true });
      expect(absorbed).toBe(9);
      expect(segmentIds().filter((id) => before.includes(id))).toEqual([]);
      expect(log.log.manifest?.segments[0]).toMatchObject({ rows: 40, deleted: 8, patched: { color: 8 } });
      expect(await log.list(red)).toMatchObject({ total: 16 });
      expect(await log.list()).toMatchObject({ total: 40 });
      // The next steps keep it so.
      await log.compactAll(laterMs + 30_000, sizes);
      expect(await log.list(red)).toMatchObject({ total: 16 });
      expect(await log.list()).toMatchObject({ total: 40 });
    });

    test('is lost when another process restores a row that it leaves out as deleted', async () => {
      log.commit(laterMs + 20_001, { [idOf(3)]: undefined, [idOf(23)]: undefined });
      await log.compact(laterMs + 20_002, sizes);
      expect(log.log.manifest?.segments).toMatchObject(Array(2).fill({ rows: 20, deleted: 1 }));
      let isFirst = true;
      const result = await step(laterMs + 20_003, async () => {
        if (!isFirst) return;
        isFirst = false;
        log.commit(laterMs + 20_004, { [idOf(3)]: { name: 'a', color: 'red' } });
        await log.compact(laterMs + 20_005, sizes);
      });
      expect(result).toBeUndefined();
      expect(await log.list(red)).toMatchObject({ total: 1, rows: [{ id: idOf(3), version: 3 }] });
      await log.compactAll(laterMs + 30_000, sizes);
      expect(await log.list(red)).toMatchObject({ total: 1, rows: [{ id: idOf(3), version: 3 }] });
      expect(await log.list()).toMatchObject({ total: 39 });
    });

    test('is lost when another process has merged the same segments', async () => {
      let merged = 0;
      const result = await step(laterMs + 20_000, async () => {
        merged += 1;
        await step(laterMs + 20_000);
      });
      expect([result, merged]).toEqual([undefined, 1]);
      expect(rowCounts()).toEqual([40]);
    });

    test('is lost when another process has written columns of its segments again', async () => {
      const before = segmentIds();
      let isFirst = true;
      const result = await step(laterMs + 20_000, async () => {
        if (!isFirst) return;
        isFirst = false;
        log.commit(laterMs + 20_001, rowsFrom(0, 10, { name: 'a', color: 'red' }));
        await log.compact(laterMs + 20_002, sizes);
        const [first, ...others] = log.log.manifest?.segments ?? [];
        // Only the columns: the segments are not merged.
        await log.compact(laterMs + 20_002, { ...sizes, maxMergedRows: 1 });
        expect(log.log.manifest?.segments.slice(1)).toEqual(others);
        expect(log.log.manifest?.segments[0]?.columns).not.toEqual(first?.columns);
      });
      expect(result).toBeUndefined();
      expect(segmentIds()).toEqual(before);
      expect(await log.list(red)).toMatchObject({ total: 10 });
    });
  });

  describe('a merge of out-of-order rows', () => {
    beforeEach(async () => {
      const all = Object.entries(rowsFrom(0, 80, { name: 'a', color: 'blue' }));
      log.commit(startMs, Object.fromEntries(all.filter((_, row) => row % 2 === 0)));
      await log.compact(startMs + 1, sizes);
      for (const number of [1, 3, 5]) log.commit(laterMs, rowsFrom(number, 1, { name: 'b', color: 'blue' }));
      await log.compact(laterMs + 1, sizes);
      expect(log.log.manifest?.segments[0]).toMatchObject({ rows: 40, outOfOrder: 3 });
    });

    /** Merges while another process absorbs changes, and merges nothing. */
    async function mergeWhile(changes: Readonly<Record<string, Row | undefined>>) {
      let isFirst = true;
      return step(laterMs + 1, async () => {
        if (!isFirst) return;
        isFirst = false;
        log.commit(laterMs + 2, changes);
        await log.compact(laterMs + 3, { ...sizes, minShareOfOutOfOrder: 2 });
      });
    }

    test('keeps their changes that another process absorbs meanwhile', async () => {
      const fifth = { name: 'e', color: 'red' };
      expect(await mergeWhile({ [idOf(1)]: { name: 'b', color: 'red' }, [idOf(7)]: fifth })).toBeDefined();
      expect(log.log.manifest?.segments[0]).toMatchObject({ rows: 43, outOfOrder: 1 });
      expect(await log.ids(red)).toEqual([idOf(1), idOf(7)]);
      expect(await log.list()).toMatchObject({ total: 44 });
      await log.compactAll(laterMs + 10, sizes);
      expect(log.log.manifest?.outOfOrder).toEqual([]);
      expect(await log.ids(red)).toEqual([idOf(1), idOf(7)]);
      expect(await log.list()).toMatchObject({ total: 44 });
    });

    test('is lost when another process has deleted one of them', async () => {
      expect(await mergeWhile({ [idOf(3)]: undefined })).toBeUndefined();
      expect(log.log.manifest?.segments[0]).toMatchObject({ rows: 40, outOfOrder: 2 });
      await log.compactAll(laterMs + 10, sizes);
      expect(log.log.manifest?.segments[0]).toMatchObject({ rows: 42 });
      expect(await log.list()).toMatchObject({ total: 42 });
    });
  });

  test('columns that are written again keep the values that another process absorbs meanwhile', async () => {
    log.commit(startMs, rowsFrom(0, 40, { name: 'a', color: 'blue' }));
    await log.compact(startMs + 1, sizes);
    log.commit(startMs + 10, rowsFrom(0, 20, { name: 'a', color: 'green' }));
    await log.compact(startMs + 11, sizes);
    let isFirst = true;
    const result = await step(startMs + 12, async () => {
      if (!isFirst) return;
      isFirst = false;
      log.commit(startMs + 13, { ...rowsFrom(0, 3, { name: 'a', color: 'red' }), [idOf(30)]: undefined });
      await log.compact(startMs + 14, { ...sizes, maxShareOfPatch: 0 });
    });
    expect(result).toMatchObject({ hasMore: true });
    expect(log.log.manifest?.segments[0]).toMatchObject({ deleted: 1, patched: { color: 3, $version: 4 } });
    expect(await log.list(red)).toMatchObject({ total: 3 });
    expect(await log.list({ filters: [isText('color', 'green')] })).toMatchObject({ total: 17 });
    expect(await log.list()).toMatchObject({ total: 39 });
  });

  test('records are absorbed into the manifest of a process that merges segments meanwhile', async () => {
    log.commit(startMs, rowsFrom(0, 20, { name: 'a', color: 'blue' }));
    await log.compact(startMs + 1, sizes);
    log.commit(startMs + 2, rowsFrom(20, 20, { name: 'b', color: 'blue' }));
    await log.compact(laterMs, { ...sizes, maxChanges: 20 });
    log.commit(laterMs + 1, {
      [idOf(30)]: { name: 'b', color: 'red' },
      [idOf(500)]: { name: 'c', color: 'red' },
    });
    let isFirst = true;
    const result = await step(laterMs + 2, async () => {
      if (!isFirst) return;
      isFirst = false;
      // The clock of the other process is behind: it does not see the record.
      expect(await log.compact(laterMs, sizes)).toMatchObject({ records: 0, hasMore: true });
    });
    expect(result).toMatchObject({ records: 1 });
    expect(rowCounts()).toEqual([40, 1]);
    expect(await log.list(red)).toMatchObject({ total: 2 });
    expect(log.log.manifest?.watermark).toBe(laterMs + 2);
  });

  test('records are absorbed once when the other process has a later clock', async () => {
    log.commit(startMs, rowsFrom(0, 20, { name: 'a', color: 'blue' }));
    await log.compact(startMs + 1, sizes);
    log.commit(startMs + 10, { [idOf(500)]: { name: 'c', color: 'red' } });
    const result = await step(startMs + 11, () => step(startMs + 20));
    expect(result).toBeUndefined();
    expect(log.log.manifest).toMatchObject({ version: 2, watermark: startMs + 20 });
  });
});

describe('rebuild', () => {
  const [a, b] = [1, 2].map(idOf) as [string, string];

  /** The scan begins after the margin of all records that tests commit before it. */
  const beganAt = startMs + 2 * marginMs;
  const rebuiltAt = beganAt + 1_000;

  let log: LogBuilder;

  beforeEach(() => {
    log = new LogBuilder();
  });

  /** Rebuilds the log from entities of the first version. */
  function rebuildFrom(
    rows: Readonly<Record<string, Row>>,
    source: Partial<RebuildSource> = {},
  ): Promise<void> {
    const entities = new Map(
      Object.entries(rows).map(([id, values]): [string, SegmentRow] => [id, { id, version: 1, values }]),
    );
    return rebuild({
      open: () => log.log.open(),
      ids: new Set(entities.keys()),
      beganAt,
      readRows: async (ids) => new Map([...entities].filter(([id]) => ids.includes(id))),
      time: async () => rebuiltAt,
      ...source,
    });
  }

  test('writes the rows of the entities', async () => {
    await rebuildFrom({ [a]: { name: 'a' }, [b]: { name: 'b' } });
    expect(await log.ids()).toEqual([a, b]);
    expect(log.log.manifest).toMatchObject({ version: 1, watermark: beganAt - marginMs });
  });

  test.each([
    ['has missed', { [a]: { name: 'a' } }],
    ['has seen', { [b]: { name: 'b' } }],
  ])('leaves changes to the log that the scan %s', async (_, rows) => {
    log.commit(startMs, { [a]: { name: 'a' } });
    log.commit(beganAt + 500, { [a]: undefined, [b]: { name: 'b' } });
    await rebuildFrom(rows as unknown as Record<string, Row>);
    expect(await log.list()).toMatchObject({ total: 1, rows: [{ id: b }] });
    await log.compact(rebuiltAt + marginMs);
    expect(await log.list()).toMatchObject({ total: 1, rows: [{ id: b }] });
  });

  test.each([
    ['has missed', { [a]: { name: 'a' } }],
    ['has seen', { [a]: { name: 'a2' } }],
  ])('counts a row once whose change the scan %s', async (_, rows) => {
    log.commit(startMs, { [a]: { name: 'a' } });
    log.commit(beganAt + 500, { [a]: { name: 'a2' } });
    await rebuildFrom(rows as unknown as Record<string, Row>);
    expect(await log.list({ filters: [isText('name', 'a2')] })).toMatchObject({
      total: 1,
      rows: [{ id: a, version: 2 }],
    });
    expect(await log.list({ filters: [isText('name', 'a')] })).toMatchObject({ total: 0 });
  });

  test('waits neither for stamps in the future, nor for a watermark in the future', async () => {
    const hourMs = 3_600_000;
    log.commit(startMs, { [a]: { name: 'a' } });
    log.commit(startMs + hourMs, { [b]: { name: 'b' } });
    await log.compact(startMs + 2 * hourMs);
    await rebuildFrom({ [a]: { name: 'a' }, [b]: { name: 'b' } });
    expect(log.log.manifest).toMatchObject({ watermark: beganAt - marginMs });
    expect(await log.list()).toMatchObject({ total: 2 });
  });

  test('a record of a restored table whose change the table does not have is not taken for late', async () => {
    log.commit(startMs, { [a]: { name: 'a' } });
    log.commit(startMs + 1, { [a]: undefined });
    await rebuildFrom({ [a]: { name: 'a' } });
    await log.compact(rebuiltAt + marginMs);
    expect(await log.ids()).toEqual([a]);
  });

  describe('of many rows', () => {
    const count = 40;
    const sizes = { ...defaultSizes, maxRows: 16, maxSmallBytes: 0 };
    const rows: Record<string, Row> = Object.fromEntries(
      Array.from({ length: count }, (_, number) => [idOf(number), { name: `${number}` }]),
    );
    const ids = Object.keys(rows);
    const hourMs = 3_600_000;

    /** Returns rows by ids. Calls a function first. */
    const reading =
      (before: (ids: readonly string[]) => void): RebuildSource['readRows'] =>
      async (wanted) => {
        before(wanted);
        return new Map(wanted.map((id) => [id, { id, version: 1, values: rows[id] as Row }]));
      };

    test('reads and writes one segment after the other', async () => {
      const calls: (string | number)[] = [];
      const writer = log.log.open();
      const putItems: typeof writer.putItems = async (items) => {
        if ([...items.keys()].some((name) => name.endsWith('/fence'))) calls.push('written');
        await writer.putItems(items);
      };
      const readRows = reading(({ length }) => calls.push(length));
      const open = () => ({ ...writer, putItems });
      await rebuildFrom(rows, { sizes, readRows, open });
      expect(calls).toEqual([14, 'written', 14, 'written', 12, 'written']);
      expect(await log.ids()).toEqual(ids);
    });

    test('leaves what changes between two segments to the log, with the rows that the scan did not find', async () => {
      log.commit(startMs, rows);
      const deletedBefore = ids[3] as string;
      log.commit(beganAt, { [deletedBefore]: undefined });
      const changed = ids[39] as string;
      const deleted = ids[38] as string;
      const created = idOf(count);
      let isFirst = true;
      const readRows = reading(() => {
        if (isFirst)
          log.commit(rebuiltAt, { [changed]: { name: 'z' }, [deleted]: undefined, [created]: { name: 'n' } });
        isFirst = false;
      });
      const found = new Set(ids.filter((id) => id !== deletedBefore));
      await rebuildFrom(rows, { sizes, readRows, ids: found });
      const left = ids.filter((id) => id !== deletedBefore && id !== deleted);
      expect(await log.list()).toMatchObject({ total: 39, rows: [...left, created].map((id) => ({ id })) });
      expect(await log.list({ filters: [isText('name', 'z')] })).toMatchObject({ total: 1 });
      expect(await log.list({ filters: [isText('name', '39')] })).toMatchObject({ total: 0 });
      await log.compactAll(rebuiltAt + marginMs);
      expect(await log.list()).toMatchObject({ total: 39 });
    });

    test('reads no row again when a step of compaction was faster', async () => {
      log.commit(startMs, rows);
      let reads = 0;
      const readRows = reading(({ length }) => {
        reads += length;
      });
      let isFaster = true;
      const open = () => {
        const writer = log.log.open();
        const replaceManifest = async (manifest: Manifest): Promise<boolean> => {
          if (isFaster) await log.compact(startMs + 1, sizes);
          isFaster = false;
          return writer.replaceManifest(manifest);
        };
        return { ...writer, replaceManifest };
      };
      await rebuildFrom(rows, { sizes, readRows, open });
      expect(reads).toBe(count);
      expect(log.log.manifest).toMatchObject({ version: 2, watermark: beganAt - marginMs });
      expect(await log.ids()).toEqual(ids);
    });

    /** Takes a step of compaction that deletes the items of older steps. */
    async function clean(nowMs: number): Promise<void> {
      log.commit(nowMs, { [idOf(count)]: { name: 'n' } });
      await log.compact(nowMs + marginMs);
    }

    test('that takes hours keeps its segments', async () => {
      log.commit(startMs, rows);
      let nowMs = rebuiltAt;
      const readRows = reading(() => {
        nowMs += hourMs;
      });
      await rebuildFrom(rows, { sizes, readRows, time: async () => nowMs });
      await clean(nowMs + garbageMs);
      await clean(nowMs + 2 * garbageMs + 2 * marginMs);
      for (const name of manifestNames(log.log.manifest as Manifest))
        expect(log.log.items.has(name)).toBe(true);
      expect((await log.ids()).slice(0, count)).toEqual(ids);
    });

    test('whose process ends before the manifest leaves items that a step deletes after a day', async () => {
      let calls = 0;
      const readRows = reading(() => {
        calls += 1;
        if (calls === 3) throw new Error('ended');
      });
      await expect(rebuildFrom(rows, { sizes, readRows })).rejects.toThrow('ended');
      const left = [...log.log.items.keys()];
      expect(left.length).toBeGreaterThan(6);
      const dayMs = 24 * hourMs;
      await clean(rebuiltAt + garbageMs);
      expect([...log.log.items.keys()]).toEqual(expect.arrayContaining(left));
      await clean(rebuiltAt + dayMs + garbageMs);
      expect(left.filter((name) => log.log.items.has(name))).toEqual([]);
    });

    test('that takes longer than a day fails', async () => {
      const time = async () => beganAt + 25 * hourMs;
      await expect(rebuildFrom(rows, { time })).rejects.toThrow(
        'The rebuild of a log took longer than a day.',
      );
    });
  });
});

describe('set-back', () => {
  const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string];
  const hourMs = 3_600_000;

  /** When the clocks are right again. */
  const nowMs = startMs + 60_000;

  let log: LogBuilder;
  const memory = () => new ProcessMemory().of('acme', 'task');

  beforeEach(() => {
    log = new LogBuilder();
  });

  /** Takes a step with the margin of the service. */
  const step = (timeMs: number, sizes = defaultSizes) =>
    compact({ writer: log.log.open(), memory: memory(), nowMs: timeMs, sizes, isForced: true });

  /** Returns a list, as a process with a right clock reads it. */
  const list = () => readRows({ reader: log.log.open(), memory: memory(), nowMs }, allRows);

  describe('after a step by a process whose clock is an hour ahead', () => {
    beforeEach(async () => {
      log.commit(startMs, { [a]: { name: 'a' }, [b]: { name: 'b' } });
      // The same process has written it.
      log.commit(startMs + hourMs, { [c]: { name: 'c' } });
      await step(startMs + 2 * hourMs);
      log.commit(startMs + 10_000, { [d]: { name: 'd' } });
    });

    test('the next step sets the watermark back, and says by how much', async () => {
      expect(await step(nowMs)).toMatchObject({ records: 1, aheadMs: 2 * hourMs - 65_000, hasMore: true });
      expect(log.log.manifest).toMatchObject({ watermark: nowMs - 5_000, absorbed: [expect.any(String)] });
      expect(await step(nowMs)).toMatchObject({ records: 0, aheadMs: 0, hasMore: false });
    });

    test('lists have the hidden records again, and those of the future once', async () => {
      await step(nowMs);
      expect(await list()).toMatchObject({ total: 4, rows: [a, b, c, d].map((id) => ({ id, version: 1 })) });
    });

    test('a change of a row of the future is counted once', async () => {
      await step(nowMs);
      log.commit(startMs + hourMs + 1, { [c]: { name: 'c2' } });
      expect(await list()).toMatchObject({ total: 4, rows: [{}, {}, { id: c, version: 2 }, {}] });
      log.commit(startMs + hourMs + 2, { [c]: undefined });
      expect(await list()).toMatchObject({ total: 3 });
    });

    test('later steps absorb the rest, and forget which records were absorbed', async () => {
      await step(nowMs);
      log.commit(startMs + hourMs + 1, { [c]: { name: 'c2' } });
      log.commit(nowMs, { [a]: undefined });
      await step(nowMs + 2 * hourMs);
      expect(log.log.manifest?.absorbed).toEqual([]);
      expect(await log.list()).toMatchObject({
        total: 3,
        rows: [{ id: b }, { id: c, version: 2 }, { id: d }],
      });
    });

    test('a deleted row does not come back', async () => {
      log.commit(startMs + 11_000, { [d]: undefined });
      await step(nowMs);
      expect(await list()).toMatchObject({ total: 3 });
    });

    test('a row of the future that was deleted in the future does not come back', async () => {
      log.commit(startMs + hourMs + 1, { [c]: undefined });
      await step(startMs + 3 * hourMs);
      await step(nowMs);
      expect(await list()).toMatchObject({ total: 3 });
    });

    test('a row of the future that was deleted there is restored once, also when only the deletion is in the columns', async () => {
      log.commit(startMs + hourMs + 1, { [c]: undefined });
      await step(startMs + 3 * hourMs, { ...defaultSizes, maxShareOfColumn: 1 });
      await step(nowMs);
      log.commit(startMs + hourMs + 2, { [c]: { name: 'c3' } });
      expect(await list()).toMatchObject({ total: 4, rows: [{}, {}, { id: c, version: 3 }, {}] });
    });
  });
});

describe('step-share', () => {
  let log: LogBuilder;
  let memory: LogMemory;

  beforeEach(() => {
    log = new LogBuilder();
    memory = new ProcessMemory().of('acme', 'task');
  });

  /** Takes a step that has time to write some items. */
  function step(writes: number, sizes = { ...defaultSizes, maxChanges: 64, maxSmallBytes: 0 }) {
    const writer = log.log.open();
    let left = writes;
    return compact({
      writer: {
        ...writer,
        remainingMs: () => (left > 0 ? 10_000 : 0),
        putItems: async (items) => {
          left -= items.size;
          if (left <= 0) throw new StoreUnavailable('the time is over');
          await writer.putItems(items);
        },
      },
      memory,
      nowMs: startMs + 60_000,
      sizes,
      isForced: true,
    });
  }

  test('a step that does not finish is tried smaller, until one finishes', async () => {
    for (let number = 0; number < 300; number += 1)
      log.commit(startMs + number, { [idOf(number)]: { name: 'a' } });
    // Each chunk of 240 ids and each column is an item.
    await expect(step(6)).resolves.toMatchObject({ records: 64, hasMore: true });
    const error = await step(1).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CompactionTooSlow);
    expect((error as Error).message).toBe(
      'A step of compaction, 100 % of a full one, did not finish in its time. The next one of this process is half as large.',
    );
    await expect(step(1)).rejects.toThrow('50 % of a full one');
    await expect(step(6)).resolves.toMatchObject({ records: 16, hasMore: true });
    await expect(step(6)).resolves.toMatchObject({ records: 32, hasMore: true });
    await expect(step(6)).resolves.toMatchObject({ records: 64, hasMore: true });
    expect(await log.list({ limit: 1 })).toMatchObject({ total: 300 });
  });

  test('an error while time is left is thrown as it is, and the next step is as large', async () => {
    log.commit(startMs, { [idOf(1)]: { name: 'a' } });
    const failure = new StoreUnavailable('throttled');
    const writer = { ...log.log.open(), putItems: () => Promise.reject(failure) };
    await expect(compact({ writer, memory, nowMs: startMs + 60_000, isForced: true })).rejects.toBe(failure);
    expect(stepShare(memory, 10_000)).toBe(1);
  });

  test('a step with little time is smaller', () => {
    expect([10_000, 4_000, 1_000, 0].map((ms) => stepShare(memory, ms))).toEqual([1, 1, 1 / 16, 1 / 1_024]);
    expect(sizesOfShare(defaultSizes, 1 / 4)).toEqual({
      ...defaultSizes,
      maxChanges: 2_500,
      maxChangedBytes: 4 * 1024 * 1024,
      maxMergedRows: 16_384,
      maxRewrittenColumns: 4,
    });
  });
});
