import { type RebuildSource, rebuild } from '#functions/store/lists/engine/compaction/rebuild.ts';
import type { SegmentRow } from '#functions/store/lists/engine/compaction/row-block.ts';
import { defaultSizes } from '#functions/store/lists/engine/compaction/sizes.ts';
import { type Manifest, manifestNames } from '#functions/store/lists/engine/format/manifest.ts';
import { isText } from '#functions/store/lists/engine/read/row-filter.ts';
import { garbageMs, marginMs } from '#functions/store/model/log-timing.ts';
import type { Row } from '#functions/store/model/row.ts';
import { idOf, LogBuilder, startMs } from '#test/support/log-builder.ts';

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
    await expect(rebuildFrom(rows, { time })).rejects.toThrow('The rebuild of a log took longer than a day.');
  });
});
