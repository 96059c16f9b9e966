import { type Manifest, manifestNames } from '#functions/store/lists/engine/format/manifest.ts';
import { ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import type { ListedRow } from '#functions/store/lists/engine/read/list-rows.ts';
import { isText } from '#functions/store/lists/engine/read/row-filter.ts';
import { StaleRead } from '#functions/store/lists/engine/read/stale-read.ts';
import type { LogReader } from '#functions/store/lists/engine/storage.ts';
import { StoreUnavailable } from '#functions/store/model/errors.ts';
import { allRows, idOf, LogBuilder, startMs } from '#test/support/log-builder.ts';
import { readRows } from '#test/support/read-rows.ts';

const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string];

const listed = (id: string, version: number): ListedRow => ({ id, version });

let log: LogBuilder;

beforeEach(() => {
  log = new LogBuilder();
});

test('an empty log has no rows', async () => {
  expect(await log.list()).toEqual({ rows: [], total: 0, skipped: 0, counts: {} });
});

describe('a log that nobody has compacted', () => {
  beforeEach(() => {
    log.commit(startMs, { [b]: { name: 'b' }, [a]: { name: 'x' } });
    log.commit(startMs + 1, { [a]: { name: 'a' }, [c]: { name: 'c' } });
    log.commit(startMs + 2, { [c]: undefined, [d]: { name: 'a' } });
  });

  test('has the rows of its records, in the order of creation', async () => {
    expect(await log.list()).toMatchObject({
      rows: [listed(a, 2), listed(b, 1), listed(d, 1)],
      total: 3,
    });
  });

  test('is sorted by a field, then by id, each in both directions', async () => {
    const order = { field: 'name', isDescending: false };
    expect(await log.ids({ orders: [order] })).toEqual([a, d, b]);
    expect(await log.ids({ orders: [order], isDescending: true })).toEqual([d, a, b]);
    expect(await log.ids({ orders: [{ ...order, isDescending: true }] })).toEqual([b, a, d]);
    expect(await log.ids({ orders: [{ ...order, isDescending: true }], isDescending: true })).toEqual([
      b,
      d,
      a,
    ]);
  });

  test('is filtered', async () => {
    expect(await log.ids({ filters: [isText('name', 'a')] })).toEqual([a, d]);
  });
});

describe('a compacted log', () => {
  beforeEach(async () => {
    log.commit(startMs, { [a]: { name: 'b', status: 'open' }, [b]: { name: 'a', status: 'done' } });
    log.commit(startMs + 1, { [c]: { name: 'c', status: 'open' } });
    await log.compact(startMs + 2);
  });

  test('has the rows of its columns', async () => {
    expect(await log.list()).toMatchObject({ rows: [listed(a, 1), listed(b, 1), listed(c, 1)], total: 3 });
  });

  test('has rows that were added since', async () => {
    log.commit(startMs + 10, { [d]: { name: 'd', status: 'open' } });
    expect(await log.list()).toMatchObject({
      rows: [listed(a, 1), listed(b, 1), listed(c, 1), listed(d, 1)],
      total: 4,
    });
  });

  test('has rows that were added since among the ids of older ones', async () => {
    const between = idOf(1).replace(/0$/, '1');
    log.commit(startMs + 10, { [between]: { name: 'd', status: 'open' } });
    expect(await log.ids()).toEqual([a, between, b, c]);
    expect(await log.ids({ skip: 1, limit: 1 })).toEqual([between]);
  });

  test('does not have rows that were deleted since', async () => {
    log.commit(startMs + 10, { [b]: undefined });
    expect(await log.list()).toMatchObject({ rows: [listed(a, 1), listed(c, 1)], total: 2 });
  });

  test('has a changed row with its new version and in its new place', async () => {
    log.commit(startMs + 10, { [a]: { name: 'z', status: 'open' } });
    const rows = [listed(b, 1), listed(c, 1), listed(a, 2)];
    expect(await log.list({ orders: [{ field: 'name', isDescending: false }] })).toMatchObject({
      rows,
      total: 3,
    });
  });

  test('marks a row as recent although its place has not changed', async () => {
    log.commit(startMs + 10, { [a]: { name: 'z', status: 'open' } });
    expect(await log.list({ limit: 1 })).toMatchObject({ rows: [listed(a, 2)], total: 3 });
  });

  test('counts a changed row only where it matches', async () => {
    log.commit(startMs + 10, { [a]: { name: 'b', status: 'done' }, [b]: { name: 'a', status: 'open' } });
    expect(await log.list({ filters: [isText('status', 'open')] })).toMatchObject({
      rows: [listed(b, 2), listed(c, 1)],
      total: 2,
    });
  });

  test('has a row that was created and deleted since neither on a page nor in the total', async () => {
    log.commit(startMs + 10, { [d]: { name: 'd', status: 'open' } });
    log.commit(startMs + 11, { [d]: undefined });
    expect(await log.list()).toMatchObject({ total: 3 });
  });

  test('has pages from both ends', async () => {
    expect(await log.list({ skip: 1, limit: 1 })).toMatchObject({ rows: [listed(b, 1)], total: 3 });
    expect(await log.list({ skip: 0, limit: 2, isDescending: true })).toMatchObject({
      rows: [{ id: c }, { id: b }],
    });
    expect(await log.list({ skip: 2, limit: 2, isDescending: true })).toMatchObject({ rows: [{ id: a }] });
    expect(await log.list({ skip: 3, limit: 2 })).toMatchObject({ rows: [], total: 3 });
  });

  test('does not have the row at the end of a range of ids', async () => {
    expect(await log.list({ ids: [{ from: a, to: c }] })).toMatchObject({
      rows: [listed(a, 1), listed(b, 1)],
      total: 2,
    });
  });

  test('has the rows of a range of ids', async () => {
    log.commit(startMs + 10, { [d]: { name: 'd', status: 'open' }, [c]: { name: 'e', status: 'open' } });
    expect(await log.ids({ ids: [{ from: b, to: d }] })).toEqual([b, c]);
    expect(await log.ids({ ids: [] })).toEqual([]);
    expect(
      await log.ids({
        ids: [
          { from: a, to: b },
          { from: c, to: 'g' },
        ],
      }),
    ).toEqual([a, c, d]);
  });
});

describe('a list that is read while the log changes', () => {
  let deletions: number;

  beforeEach(async () => {
    log.commit(startMs, { [a]: { name: 'a' } });
    await log.compact(startMs + 1, { maxSmallBytes: 0 });
    log.commit(startMs + 10, { [a]: { name: 'a2' }, [b]: { name: 'b' } });
  });

  /** Reads a list. After its first reads, compaction replaces the items that it needs and deletes them. */
  function listWhileCompacting(times: number) {
    deletions = 0;
    const reader = log.log.open();
    const readHead: LogReader['readHead'] = async (above) => {
      const head = await reader.readHead(above);
      if (deletions < times) {
        deletions += 1;
        log.commit(startMs + 100 * deletions, { [b]: { name: `b${deletions}` } });
        await log.compactAll(startMs + 100 * deletions + 1, { maxRows: 1, maxSmallBytes: 0 });
        const live = new Set(manifestNames(log.log.manifest as Manifest));
        for (const name of log.log.items.keys()) if (!live.has(name)) log.log.items.delete(name);
      }
      return head;
    };
    const memory = new ProcessMemory().of('acme', 'task');
    return readRows({ reader: { ...reader, readHead }, memory, nowMs: startMs }, allRows);
  }

  test('starts again when an item that it needs was deleted', async () => {
    expect(await listWhileCompacting(1)).toMatchObject({
      total: 2,
      rows: [{ id: a }, { id: b, version: 2 }],
    });
  });

  test('throws StaleRead when it was deleted during each attempt', async () => {
    await expect(listWhileCompacting(10)).rejects.toThrow(StaleRead);
    expect(deletions).toBe(5);
  });
});

test('a list ends between two segments, and between two columns that it decodes, when no time is left', async () => {
  const rows = Array.from({ length: 3 }, (_, number) => [idOf(number), { name: `${number}` }] as const);
  log.commit(startMs, Object.fromEntries(rows));
  await log.compact(startMs + 1, { maxRows: 1 });
  const reader = log.log.open();
  const memory = new ProcessMemory().of('acme', 'task');
  let calls = 0;
  const listWithin = (maxCalls: number): Promise<unknown> => {
    calls = 0;
    const requireTime = (): void => {
      calls += 1;
      if (calls > maxCalls) throw new StoreUnavailable('the list takes too long');
    };
    const query = { ...allRows, filters: [isText('name', '1')], limit: 0 };
    return readRows({ reader: { ...reader, requireTime }, memory, nowMs: startMs }, query);
  };
  // Three columns and three segments.
  await expect(listWithin(5)).rejects.toThrow(StoreUnavailable);
  await expect(listWithin(2)).rejects.toThrow(StoreUnavailable);
  await expect(listWithin(3)).resolves.toMatchObject({ total: 1 });
});
