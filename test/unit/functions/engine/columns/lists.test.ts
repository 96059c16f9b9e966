/** What lists of ids cost: read units, room in memory, and merges of the segments that they once divided. */
import { fillSegments } from '#functions/engine/columns/compact/new-segments.ts';
import { blockOf } from '#functions/engine/columns/compact/row-block.ts';
import { defaultSizes } from '#functions/engine/columns/compact/sizes.ts';
import { buildColumn, encodeColumn } from '#functions/engine/columns/format/column.ts';
import {
  columnNames,
  type ItemName,
  isOfLists,
  type Manifest,
  positionsField,
  type Segment,
} from '#functions/engine/columns/format/manifest.ts';
import { type LogMemory, ProcessMemory } from '#functions/engine/columns/process-memory.ts';
import { ColumnReader } from '#functions/engine/columns/read/column-reader.ts';
import type { RowFilter } from '#functions/engine/columns/read/row-filter.ts';
import type { RowQuery } from '#functions/engine/columns/read/row-query.ts';
import { addKeyReads, fieldsToShow } from '#functions/engine/columns/read/shown-rows.ts';
import type { LogReader } from '#functions/engine/columns/storage.ts';
import { firstIdAt } from '#functions/engine/model/ids.ts';
import type { Row } from '#functions/engine/model/row.ts';
import { Random } from '#test/simulation/random.ts';
import { allRows, idOf, LogBuilder, startMs } from '#test/support/log-builder.ts';
import { MemoryLog } from '#test/support/memory-log.ts';
import { readRows } from '#test/support/read-rows.ts';
import { makeManifest } from '#test/support/segments.ts';

const newMemory = () => new ProcessMemory().of('acme', 'task');
const countByTag = [{ field: 'tagIds', isArray: true }];
const hasTag = (tag: string): RowFilter => ({ field: 'tagIds', condition: { by: 'anyId', ids: [tag] } });

/** Bytes for which a read from a replica costs half a unit; and those of an item beside its own bytes, about. */
const bytesOfHalfUnit = 4_096;
const keyBytes = 100;

const unitsOf = (bytes: number): number => Math.ceil(bytes / bytesOfHalfUnit) / 2;

/** Returns a reader of a log, and how many units its reads cost. */
function openMetered(log: MemoryLog) {
  const bytesOf = (found: ReadonlyMap<ItemName, Uint8Array>): number[] =>
    [...found.values()].map(({ length }) => length + keyBytes);
  let units = 0;
  const reader = log.open();
  const metered: LogReader = {
    ...reader,
    readItems: async (...args) => {
      const found = await reader.readItems(...args);
      for (const bytes of bytesOf(found)) units += unitsOf(bytes);
      return found;
    },
    // A query rounds all bytes together.
    readBuckets: async (...args) => {
      const found = await reader.readBuckets(...args);
      units += unitsOf(bytesOf(found).reduce((sum, bytes) => sum + bytes, 0));
      return found;
    },
  };
  return { reader: metered, units: () => units };
}

/** Returns a log whose rows have these lists of tags, in columns. */
function logOf(texts: readonly string[]): MemoryLog {
  const rows = texts.map((tagIds, row) => ({ id: idOf(row), version: 1, values: { tagIds } }));
  const options = { stepId: '1-aaaaaa', sizes: defaultSizes, requireTime: () => undefined };
  const { segments, items } = fillSegments(blockOf(rows), options);
  const log = new MemoryLog();
  for (const [name, bytes] of items) log.items.set(name, bytes);
  log.manifest = makeManifest({ segments });
  return log;
}

/** Returns how many units a list costs. */
async function costOf(log: MemoryLog, memory: LogMemory, query: Partial<RowQuery>): Promise<number> {
  const { reader, units } = openMetered(log);
  await readRows({ reader, memory }, { ...allRows, limit: 0, ...query });
  return units();
}

describe.each([
  // Of 31 segments: at most 62 units and 140 for a filter by a tag.
  { perRow: 5, count: 1_000, maxOfTag: 62 / 31 },
  { perRow: 20, count: 2_000, maxOfTag: 140 / 31 },
])('a full segment with $perRow tags of $count in each row', ({ perRow, count, maxOfTag }) => {
  const random = new Random(count);
  const tags = Array.from({ length: count }, () =>
    firstIdAt(startMs + random.below(10 ** 10)).replace(
      '0000-0000-000000000000',
      `7000-8000-${random
        .below(2 ** 40)
        .toString(16)
        .padStart(12, '0')}`,
    ),
  );
  let log: MemoryLog;
  let texts: string[];
  let segment: Segment;

  beforeAll(() => {
    texts = Array.from({ length: defaultSizes.maxRows }, () => {
      const own = new Set<string>();
      while (own.size < perRow) own.add(random.pick(tags));
      return [...own].join();
    });
    log = logOf(texts);
    const { segments } = log.manifest as Manifest;
    expect(segments).toHaveLength(1);
    [segment] = segments as [Segment];
  });

  test('counts tags for a quarter of what lists as texts cost', async () => {
    const old = unitsOf(encodeColumn(buildColumn(texts)).length);
    expect(await costOf(log, newMemory(), { countBy: countByTag })).toBeLessThanOrEqual(old / 4);
  });

  test('finds the rows of a tag, and those without one, in a bucket', async () => {
    const costs: number[] = [];
    for (const tag of tags) costs.push(await costOf(log, newMemory(), { filters: [hasTag(tag)] }));
    expect(Math.max(...costs)).toBeLessThanOrEqual(maxOfTag);
    const any: RowFilter = { field: 'tagIds', condition: { by: 'anyId' } };
    expect(await costOf(log, newMemory(), { filters: [any] })).toBeLessThanOrEqual(3 * maxOfTag);
  });

  test('counts tags for no more units after a filter by a tag', async () => {
    const whole = await costOf(log, newMemory(), { countBy: countByTag });
    const memory = newMemory();
    const ofFilter = await costOf(log, memory, { filters: [hasTag(tags[0] as string)] });
    expect(await costOf(log, memory, { countBy: countByTag })).toBeLessThanOrEqual(whole);
    expect(ofFilter).toBeLessThanOrEqual(maxOfTag);
  });

  test('is shown from columns when the entities that pages read by key have cost as much', async () => {
    const { reader, units } = openMetered(log);
    const columnReader = new ColumnReader(log.manifest as Manifest, reader, newMemory());
    const shown = new Set(['tagIds']);
    const isWorth = (spent: number): boolean => {
      const memory = newMemory();
      addKeyReads(memory, spent);
      return fieldsToShow(columnReader, memory, [segment], shown).size === 1;
    };
    let spent = 1;
    while (!isWorth(spent)) spent += 1;
    await columnReader.loadColumns(['tagIds']);
    // What reads by key may cost before is an estimate of what the columns cost.
    expect(units() / spent).toBeLessThanOrEqual(1.5);
    expect(spent / units()).toBeLessThanOrEqual(2);
  });

  test('is read by half the second time, if it is larger than the memory of a tenant', async () => {
    const whole = await costOf(log, newMemory(), { countBy: countByTag });
    // Three quarters of what three bytes for each id need: a tenant has a quarter.
    const memory = new ProcessMemory(3 * (3 * perRow * segment.rows));
    const run = () => costOf(log, memory.of('acme', 'task'), { countBy: countByTag });
    expect(await run()).toBe(whole);
    for (let again = 0; again < 3; again += 1) expect(await run()).toBeLessThanOrEqual(whole / 2);
  });
});

test('a filter by an id reads a bucket also where each row has one id', async () => {
  const ids = Array.from({ length: 2_000 }, (_, number) => idOf(number));
  const texts = Array.from(
    { length: defaultSizes.maxRows },
    (_, row) => ids[(row * 7919) % ids.length] as string,
  );
  const log = logOf(texts);
  const whole = await costOf(log, newMemory(), { countBy: countByTag });
  const filters = [hasTag(ids[5] as string)];
  expect(await costOf(log, newMemory(), { filters })).toBeLessThan(whole / 5);
  const source = { reader: log.open(), memory: newMemory() };
  const { total } = await readRows(source, { ...allRows, filters });
  expect(total).toBe(texts.filter((tagIds) => tagIds === ids[5]).length);
});

describe('segments from before there were columns of lists', () => {
  const sizes = { maxRows: 400, bucketBytes: 200, maxSmallBytes: 0 };
  const tags = Array.from({ length: 30 }, (_, number) => idOf(1_000_000 + number));
  const tagsOf = (row: number): string =>
    row % 5 === 0 ? '' : tags.filter((_, number) => (row * 5 + number * 3) % 7 < 2).join();
  const rows: Record<string, Row> = Object.fromEntries(
    Array.from({ length: 1_200 }, (_, row) => [idOf(row), { name: `Task ${row}`, tagIds: tagsOf(row) }]),
  );

  /** Stores the lists of all segments as texts. @param bytes of the largest item of each. */
  async function storeAsTexts(log: MemoryLog, bytes: number): Promise<void> {
    const { segments, ...manifest } = log.manifest as Manifest;
    const columnReader = new ColumnReader(log.manifest as Manifest, log.open(), newMemory());
    await columnReader.loadColumns(['tagIds']);
    const before = segments.map((segment): Segment => {
      const { hasLists: _, columns, buckets, ...others } = segment;
      expect(isOfLists(segment, 'tagIds')).toBe(true);
      const positions = positionsField('tagIds');
      for (const name of [...columnNames(segment, 'tagIds'), ...columnNames(segment, positions)])
        log.items.delete(name);
      const { [positions]: _step, ...ofColumns } = columns;
      const { tagIds: _count, [positions]: _counts, ...ofBuckets } = buckets;
      const after = { ...others, columns: ofColumns, buckets: ofBuckets, bytes };
      const values = columnReader.values(segment, 'tagIds');
      for (const name of columnNames(after, 'tagIds')) log.items.set(name, encodeColumn(buildColumn(values)));
      return after;
    });
    log.manifest = { ...manifest, segments: before };
  }

  /** Returns a log whose lists divide segments of a few rows. */
  async function dividedLog(): Promise<LogBuilder> {
    const log = new LogBuilder();
    log.commit(startMs, rows);
    await log.compactAll(startMs + 1, { ...sizes, maxRows: 100 });
    await storeAsTexts(log.log, defaultSizes.maxColumnBytes);
    return log;
  }

  /** Requires that lists show what rows have. */
  async function requireRight(log: LogBuilder, expected: Readonly<Record<string, Row>>): Promise<void> {
    const idsOf = (accepts: (tagIds: string) => boolean): string[] =>
      Object.keys(expected).filter((id) => accepts(expected[id]?.['tagIds'] ?? ''));
    const limit = 2_000;
    for (const tag of tags.slice(0, 4)) {
      const ids = await log.ids({ filters: [hasTag(tag)], limit });
      expect(ids).toEqual(idsOf((tagIds) => tagIds.includes(tag)));
    }
    const isEmpty = { condition: { by: 'anyId' }, isNegated: true, acceptsNull: true } as const;
    expect(await log.ids({ filters: [{ field: 'tagIds', ...isEmpty }], limit })).toEqual(
      idsOf((tagIds) => tagIds === ''),
    );
    const hasAny: RowFilter = { field: 'tagIds', condition: { by: 'anyId' } };
    expect(await log.ids({ filters: [hasAny], limit })).toEqual(idsOf((tagIds) => tagIds !== ''));
    const { counts, rows: shown } = await log.list({ countBy: countByTag, shows: 'all', limit });
    const expectedCounts = tags.map((tag) => [tag, idsOf((tagIds) => tagIds.includes(tag)).length] as const);
    expect(new Map(counts['tagIds']?.map(({ value, count }) => [value, count]))).toEqual(
      new Map(expectedCounts.filter(([, count]) => count > 0)),
    );
    expect(Object.fromEntries(shown.map(({ id, row }) => [id, row?.['tagIds']]))).toEqual(
      Object.fromEntries(Object.entries(expected).map(([id, { tagIds }]) => [id, tagIds])),
    );
  }

  test('are read, with patches: an id added, removed, moved, and new to the column', async () => {
    const log = await dividedLog();
    await requireRight(log, rows);
    const changed: Record<string, Row> = {};
    for (let row = 0; row < 60; row += 1) {
      const ids = tagsOf(row).split(',').filter(Boolean);
      const own = [[...ids, tags[row % 30]], ids.slice(1), ids.toReversed(), [idOf(2_000_000), ...ids]][
        row % 4
      ];
      changed[idOf(row)] = { ...rows[idOf(row)], tagIds: [...new Set(own)].join() };
    }
    const isKnown = (tagIds: string): string => tagIds.replace(`${idOf(2_000_000)},`, '');
    expect(Object.values(changed).some(({ tagIds }) => tagIds !== isKnown(tagIds ?? ''))).toBe(true);
    log.commit(startMs + 10, changed);
    const ofOne = { filters: [hasTag(idOf(2_000_000))] };
    const ids = Object.keys(changed).filter((id) => changed[id]?.['tagIds']?.includes(idOf(2_000_000)));
    expect(await log.ids(ofOne)).toEqual(ids);
    // As a patch of texts, of lists, and in the columns.
    for (const more of [{ maxMergedRows: 0, maxShareOfColumn: 1 }, { maxShareOfColumn: 1 }, {}]) {
      await log.compactAll(startMs + 20, { ...sizes, ...more });
      expect(await log.ids(ofOne)).toEqual(ids);
      const { rows: shown } = await log.list({ shows: 'all', limit: 60 });
      expect(shown.map(({ row }) => row?.['tagIds'])).toEqual(
        Object.values(changed).map(({ tagIds }) => tagIds),
      );
    }
  });

  test('are merged, each row once or twice, until they are full', async () => {
    const log = await dividedLog();
    const before = new Set(log.log.items.keys());
    const counts = () => log.log.manifest?.segments.map((segment) => segment.rows);
    expect(counts()).toEqual(Array(12).fill(100));
    let steps = 0;
    for (; (await log.compact(startMs + 10, sizes))?.hasMore; steps += 1) expect(steps).toBeLessThan(12);
    expect(counts()).toEqual([400, 400, 400]);
    const written = [...log.log.items.keys()].filter((name) => !before.has(name) && name.includes('/ids'));
    expect(written.length).toBeLessThanOrEqual(2 * 3 * Math.ceil(400 / 240));
    await requireRight(log, rows);
    // What is too large for another reason is written again once.
    await storeAsTexts(log.log, defaultSizes.maxColumnBytes);
    const large = { ...sizes, maxColumnBytes: 1_000 };
    await log.compactAll(startMs + 20, large);
    const version = log.log.manifest?.version;
    await log.compactAll(startMs + 30, large);
    expect(log.log.manifest?.version).toBe(version);
    await requireRight(log, rows);
  });

  test('become lists when their column is written again, and lists become texts', async () => {
    const log = await dividedLog();
    const isInLists = () => log.log.manifest?.segments.map((segment) => isOfLists(segment, 'tagIds'));
    const once = { ...sizes, maxMergedRows: 0 };
    const change = async (nowMs: number, tagIds: (row: number) => string) => {
      const changed = Object.fromEntries(
        Object.entries(rows).map(([id, row], number) => [id, { ...row, tagIds: tagIds(number) }]),
      );
      log.commit(nowMs, changed);
      await log.compactAll(nowMs + 1, once);
      await requireRight(log, changed);
    };
    await change(startMs + 10, (row) => tagsOf(row + 1));
    expect(isInLists()).toEqual(Array(12).fill(true));
    await change(startMs + 20, () => '');
    expect(isInLists()).toEqual(Array(12).fill(false));
    await change(startMs + 30, tagsOf);
    expect(isInLists()).toEqual(Array(12).fill(true));
  });
});

test('of what is derived from a column and its patches, the memory has the newest alone', async () => {
  const log = new LogBuilder();
  const rowOf = (row: number, name: string) => ({ [idOf(row)]: { name: `a${name}` } });
  log.commit(
    startMs,
    Object.assign({}, ...Array.from({ length: 3_000 }, (_, row) => rowOf(row, String(row)))),
  );
  await log.compactAll(startMs + 1);
  const list = async (memory: ProcessMemory): Promise<number> => {
    const source = { reader: log.log.open(), memory: memory.of('acme', 'task') };
    await readRows(source, { ...allRows, orders: [{ field: 'name', isDescending: false }] });
    return memory.bytes;
  };
  const busy = new ProcessMemory();
  for (let step = 1; step <= 12; step += 1) {
    for (let row = 0; row < 20; row += 1) log.commit(startMs + 10 * step, rowOf(100 * row + step, 'new'));
    await log.compact(startMs + 10 * step + 1);
    await list(busy);
  }
  expect(log.log.manifest?.patches.length).toBeGreaterThan(0);
  expect(await list(busy)).toBeLessThan(2 * (await list(new ProcessMemory())));
});

test('a list that fills the memory of its tenant does not forget the log', async () => {
  const memory = new ProcessMemory(4 * 10_000);
  const own = memory.of('acme', 'task');
  own.set('known', { upTo: 1 }, 100);
  for (let item = 0; item < 100; item += 1) own.set(`1-a.0/1-a/name.${item}`, {}, 1_000);
  own.set('known', { upTo: 2 }, 2_000);
  expect(own.get('known')).toEqual({ upTo: 2 });
});

test('items that the manifest does not name any more leave the memory with the next list, and what is derived from them', async () => {
  const log = new LogBuilder();
  const memory = new ProcessMemory();
  const list = () =>
    readRows(
      { reader: log.log.open(), memory: memory.of('acme', 'task') },
      {
        ...allRows,
        orders: [{ field: 'name', isDescending: false }],
        filters: [{ field: 'name', condition: { by: 'part', text: 'a' } }],
      },
    );
  const commit = (nowMs: number, first: number) =>
    log.commit(
      nowMs,
      Object.fromEntries(Array.from({ length: 300 }, (_, row) => [idOf(first + row), { name: `a${row}` }])),
    );
  commit(startMs, 0);
  await log.compactAll(startMs + 1);
  await list();
  memory.of('acme', 'user').set('1-a.0/1-a/name', {}, 0);
  const [segment] = (log.log.manifest as Manifest).segments as [Segment];
  const [column] = columnNames(segment, 'name') as [ItemName];
  const names = [column, `${column}/search`, `${segment.id}/ids0`];
  const known = () => names.map((name) => memory.of('acme', 'task').get(name) !== undefined);
  expect(known()).toEqual([true, true, true]);
  await list();
  const { bytes } = memory;
  commit(startMs + 10, 300);
  await log.compactAll(startMs + 11);
  expect(log.log.manifest?.segments.map(({ rows }) => rows)).toEqual([600]);
  await list();
  expect(known()).toEqual([false, false, false]);
  expect(memory.of('acme', 'user').get('1-a.0/1-a/name')).toBeDefined();
  // Twice as many rows, and no others.
  expect(memory.bytes).toBeLessThan(2.2 * bytes);
});
