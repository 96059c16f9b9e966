import { compact } from '#functions/store/lists/engine/compaction/compact.ts';
import { defaultSizes } from '#functions/store/lists/engine/compaction/sizes.ts';
import { ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import { allRows, idOf, LogBuilder, startMs } from '#test/support/log-builder.ts';
import { readRows } from '#test/support/read-rows.ts';

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
    expect(await log.list()).toMatchObject({ total: 3, rows: [{ id: b }, { id: c, version: 2 }, { id: d }] });
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
