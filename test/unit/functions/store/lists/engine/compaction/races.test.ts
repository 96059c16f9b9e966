import { compact } from '#functions/store/lists/engine/compaction/compact.ts';
import { type CompactionSizes, defaultSizes } from '#functions/store/lists/engine/compaction/sizes.ts';
import { ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import { isText } from '#functions/store/lists/engine/read/row-filter.ts';
import type { LogWriter } from '#functions/store/lists/engine/storage.ts';
import type { Row } from '#functions/store/model/row.ts';
import { idOf, LogBuilder, startMs } from '#test/support/log-builder.ts';

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
  return compact({ writer: { ...open, replaceManifest }, memory, nowMs, marginMs: 0, isForced: true, sizes });
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
