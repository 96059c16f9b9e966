import fc from 'fast-check';
import { SharedColumnCache } from '../../../../../../../functions/shared/store/lists/engine/column-cache.ts';
import {
  type ListedRow,
  listRows,
} from '../../../../../../../functions/shared/store/lists/engine/list-rows.ts';
import {
  type Manifest,
  manifestNames,
} from '../../../../../../../functions/shared/store/lists/engine/manifest.ts';
import type { RowFilter } from '../../../../../../../functions/shared/store/lists/engine/row-filter.ts';
import type { RowQuery } from '../../../../../../../functions/shared/store/lists/engine/row-query.ts';
import { StaleRead } from '../../../../../../../functions/shared/store/lists/engine/snapshot.ts';
import type { LogReader } from '../../../../../../../functions/shared/store/lists/engine/storage.ts';
import { StoreUnavailable } from '../../../../../../../functions/shared/store/model/errors.ts';
import type { Row } from '../../../../../../../functions/shared/store/model/row.ts';
import { allRows, idOf, LogBuilder, startMs } from '../../../../../../support/log-builder.ts';

const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string];

const hasText = (field: string, text: string): RowFilter => ({
  field,
  text,
  accepts: (value) => value === text,
});

const listed = (id: string, version: number): ListedRow => ({ id, version });

let log: LogBuilder;

beforeEach(() => {
  log = new LogBuilder();
});

test('an empty log has no rows', async () => {
  expect(await log.list()).toEqual({ rows: [], total: 0 });
});

describe('a log that nobody has compacted', () => {
  beforeEach(() => {
    log.commit(startMs, { [b]: { name: 'b' }, [a]: { name: 'x' } });
    log.commit(startMs + 1, { [a]: { name: 'a' }, [c]: { name: 'c' } });
    log.commit(startMs + 2, { [c]: undefined, [d]: { name: 'a' } });
  });

  test('has the rows of its records, in the order of creation', async () => {
    expect(await log.list()).toEqual({
      rows: [listed(a, 2), listed(b, 1), listed(d, 1)],
      total: 3,
    });
  });

  test('is sorted by a field, then by id, in both directions', async () => {
    const order = { field: 'name' };
    expect(await log.ids({ order })).toEqual([a, d, b]);
    expect(await log.ids({ order, isDescending: true })).toEqual([b, d, a]);
  });

  test('is filtered', async () => {
    expect(await log.ids({ filters: [hasText('name', 'a')] })).toEqual([a, d]);
  });
});

describe('a compacted log', () => {
  beforeEach(async () => {
    log.commit(startMs, { [a]: { name: 'b', status: 'open' }, [b]: { name: 'a', status: 'done' } });
    log.commit(startMs + 1, { [c]: { name: 'c', status: 'open' } });
    await log.compact(startMs + 2);
  });

  test('has the rows of its columns', async () => {
    expect(await log.list()).toEqual({ rows: [listed(a, 1), listed(b, 1), listed(c, 1)], total: 3 });
  });

  test('has rows that were added since', async () => {
    log.commit(startMs + 10, { [d]: { name: 'd', status: 'open' } });
    expect(await log.list()).toEqual({
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
    expect(await log.list()).toEqual({ rows: [listed(a, 1), listed(c, 1)], total: 2 });
  });

  test('has a changed row with its new version and in its new place', async () => {
    log.commit(startMs + 10, { [a]: { name: 'z', status: 'open' } });
    const rows = [listed(b, 1), listed(c, 1), listed(a, 2)];
    expect(await log.list({ order: { field: 'name' } })).toEqual({ rows, total: 3 });
  });

  test('marks a row as recent although its place has not changed', async () => {
    log.commit(startMs + 10, { [a]: { name: 'z', status: 'open' } });
    expect(await log.list({ limit: 1 })).toEqual({ rows: [listed(a, 2)], total: 3 });
  });

  test('counts a changed row only where it matches', async () => {
    log.commit(startMs + 10, { [a]: { name: 'b', status: 'done' }, [b]: { name: 'a', status: 'open' } });
    expect(await log.list({ filters: [hasText('status', 'open')] })).toEqual({
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
    expect(await log.list({ skip: 1, limit: 1 })).toEqual({ rows: [listed(b, 1)], total: 3 });
    expect(await log.list({ skip: 0, limit: 2, isDescending: true })).toMatchObject({
      rows: [{ id: c }, { id: b }],
    });
    expect(await log.list({ skip: 2, limit: 2, isDescending: true })).toMatchObject({ rows: [{ id: a }] });
    expect(await log.list({ skip: 3, limit: 2 })).toEqual({ rows: [], total: 3 });
  });

  test('does not have the row at the end of a range of ids', async () => {
    expect(await log.list({ ids: { from: a, to: c } })).toEqual({
      rows: [listed(a, 1), listed(b, 1)],
      total: 2,
    });
  });

  test('has the rows of a range of ids', async () => {
    log.commit(startMs + 10, { [d]: { name: 'd', status: 'open' }, [c]: { name: 'e', status: 'open' } });
    expect(await log.ids({ ids: { from: b, to: d } })).toEqual([b, c]);
    expect(await log.ids({ ids: { from: d, to: b } })).toEqual([]);
    expect(await log.ids({ ids: { from: '', to: '' } })).toEqual([]);
  });
});

describe('a list that is read while the log changes', () => {
  let deletions: number;

  beforeEach(async () => {
    log.commit(startMs, { [a]: { name: 'a' } });
    await log.compact(startMs + 1);
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
        await log.compact(startMs + 100 * deletions + 1, { maxRows: 1 });
        const live = new Set(manifestNames(log.log.manifest as Manifest));
        for (const name of log.log.items.keys()) if (!live.has(name)) log.log.items.delete(name);
      }
      return head;
    };
    const cache = new SharedColumnCache().of('acme', 'task');
    return listRows({ reader: { ...reader, readHead }, cache, nowMs: startMs }, allRows);
  }

  test('starts again when an item that it needs was deleted', async () => {
    expect(await listWhileCompacting(1)).toMatchObject({
      total: 2,
      rows: [{ id: a }, { id: b, version: 2 }],
    });
  });

  test('throws StaleRead when four attempts were in vain', async () => {
    await expect(listWhileCompacting(10)).rejects.toThrow(StaleRead);
    expect(deletions).toBe(4);
  });
});

describe('segments of several chunks of ids, with changes since', () => {
  const statuses = ['open', 'done', 'late'];
  const rowCount = 1_100;

  const rowAt = (number: number): Row => ({
    status: statuses[(number * number) % 3] as string,
    name: String((number * 7_919) % 50),
    userId: number % 5 === 0 ? null : String(number % 5),
  });

  let state: Map<string, Row>;
  let compacted: LogBuilder;

  beforeAll(async () => {
    const built = new LogBuilder();
    const rows = Object.fromEntries(
      // Every third id is left out: later rows are among them.
      Array.from({ length: rowCount }, (_, number) => [idOf(number), rowAt(number)] as const).filter(
        (_, number) => number % 3 > 0,
      ),
    );
    built.commit(startMs, rows);
    await built.compact(startMs + 1, { maxRows: 500 });
    state = new Map(Object.entries(rows));
    const changes: Record<string, Row | undefined> = {};
    for (let number = 0; number < rowCount + 50; number += 7) {
      const id = idOf(number);
      const isDeleted = number % 4 === 0 && state.has(id);
      changes[id] = isDeleted ? undefined : rowAt(number + (number % 2));
      if (isDeleted) state.delete(id);
      else state.set(id, changes[id] as Row);
    }
    built.commit(startMs + 2, changes);
    compacted = built;
  });

  const filter = fc.constantFrom<RowFilter[]>([], [hasText('status', 'open')], [hasText('name', '7')]);
  const order = fc.constantFrom<RowQuery['order']>(
    undefined,
    { field: 'name' },
    { field: 'userId' },
    { field: 'status', ranks: statuses },
  );
  const number = fc.nat({ max: rowCount + 100 });
  const query: fc.Arbitrary<RowQuery> = fc.record({
    filters: filter,
    ids: fc.option(fc.record({ from: number.map(idOf), to: number.map(idOf) }), { nil: undefined, freq: 3 }),
    order,
    isDescending: fc.boolean(),
    skip: fc.nat({ max: 800 }),
    limit: fc.integer({ min: 1, max: 100 }),
  });

  function expectedIds({ filters, ids, order: by, isDescending }: RowQuery): string[] {
    const keyOf = (row: Row): string => {
      const value = by ? (row[by.field] ?? null) : '';
      const text = by?.ranks && value !== null ? String(by.ranks.indexOf(value)) : value;
      return text === null ? '' : `1${text}`;
    };
    const found = [...state].filter(
      ([id, row]) =>
        (!ids || (id >= ids.from && id < ids.to)) &&
        filters.every(({ field, accepts }) => accepts(row[field])),
    );
    const keyed = found.map(([id, row]) => ({ id, key: keyOf(row) }));
    const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
    keyed.sort((one, other) => compare(one.key, other.key) || compare(one.id, other.id));
    const sorted = keyed.map(({ id }) => id);
    return isDescending ? sorted.reverse() : sorted;
  }

  test('have the pages and the totals of a sort of all rows', async () => {
    await fc.assert(
      fc.asyncProperty(query, async (wanted) => {
        const expected = expectedIds(wanted);
        const { rows, total } = await compacted.list(wanted);
        expect(total).toBe(expected.length);
        expect(rows.map(({ id }) => id)).toEqual(expected.slice(wanted.skip, wanted.skip + wanted.limit));
      }),
      { numRuns: 200 },
    );
  });
});

test('a list ends between two segments, and between two columns that it decodes, when no time is left', async () => {
  const rows = Array.from({ length: 3 }, (_, number) => [idOf(number), { name: `${number}` }] as const);
  log.commit(startMs, Object.fromEntries(rows));
  await log.compact(startMs + 1, { maxRows: 1 });
  const reader = log.log.open();
  const cache = new SharedColumnCache().of('acme', 'task');
  let calls = 0;
  const listWithin = (maxCalls: number): Promise<unknown> => {
    calls = 0;
    const requireTime = (): void => {
      calls += 1;
      if (calls > maxCalls) throw new StoreUnavailable('the list takes too long');
    };
    const query = { ...allRows, filters: [hasText('name', '1')], limit: 0 };
    return listRows({ reader: { ...reader, requireTime }, cache, nowMs: startMs }, query);
  };
  // Three columns and three segments.
  await expect(listWithin(5)).rejects.toThrow(StoreUnavailable);
  await expect(listWithin(2)).rejects.toThrow(StoreUnavailable);
  await expect(listWithin(3)).resolves.toMatchObject({ total: 1 });
});
