import { emptyManifest } from '#functions/store/lists/engine/format/manifest.ts';
import { type LogMemory, ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import { readState } from '#functions/store/lists/engine/read/read-state.ts';
import { StaleRead } from '#functions/store/lists/engine/read/stale-read.ts';
import type { LogReader } from '#functions/store/lists/engine/storage.ts';
import { marginMs } from '#functions/store/model/log-timing.ts';
import { idOf, LogBuilder, startMs } from '#test/support/log-builder.ts';
import { makeManifest } from '#test/support/segments.ts';

const [a, b] = [1, 2].map(idOf) as [string, string];
const nowMs = startMs + 1_000_000;

let log: LogBuilder;
let memory: LogMemory;
let calls: unknown[];

beforeEach(() => {
  log = new LogBuilder();
  memory = new ProcessMemory().of('acme', 'task');
  calls = [];
});

/** Returns a reader that notes its calls. @param lost keys of records that it does not return. */
function readerOf(lost: readonly string[] = []): LogReader {
  const reader = log.log.open();
  return {
    ...reader,
    readHead: async (above) => {
      calls.push(['head', above - startMs]);
      const { records, ...head } = await reader.readHead(above);
      return { ...head, records: records.filter(({ key }) => !lost.includes(key)) };
    },
    readRecords: (above, upTo) => {
      calls.push(['records', above - startMs, upTo - startMs]);
      return reader.readRecords(above, upTo);
    },
  };
}

const namesAfter = async (reader: LogReader, atMs = nowMs): Promise<Record<string, unknown>> => {
  const { pendingChanges } = await readState({ reader, memory, nowMs: atMs });
  return Object.fromEntries([...pendingChanges].map(([id, { after }]) => [id, after?.['name']]));
};

test('a process forgets the records of a log that it no longer reads', async () => {
  jest.useFakeTimers();
  try {
    const shared = new ProcessMemory();
    memory = shared.of('acme', 'task');
    log.commit(startMs, { [a]: { name: '1' } });
    await readState({ reader: readerOf(), memory, nowMs });
    expect(shared.bytes).toBeGreaterThan(2_500);
    jest.advanceTimersByTime(61_000);
    expect(shared.bytes).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});

describe('the state of a log', () => {
  test('that nobody has compacted is all of its records', async () => {
    log.commit(startMs, { [a]: { name: '1' } });
    log.commit(nowMs, { [a]: { name: '2' }, [b]: { name: '3' } });
    const { manifest, pendingChanges } = await readState({ reader: readerOf(), memory, nowMs });
    expect(manifest).toEqual(emptyManifest);
    expect([...pendingChanges.values()]).toEqual([
      { id: a, from: 0, to: 2, previousStamp: 0, before: undefined, after: { name: '2' } },
      { id: b, from: 0, to: 1, previousStamp: 0, before: undefined, after: { name: '3' } },
    ]);
  });

  test('is the manifest, and the records above its watermark', async () => {
    log.commit(startMs + 10, { [a]: { name: '1' } });
    log.commit(startMs + 11, { [b]: { name: '2' } });
    log.log.manifest = makeManifest({ watermark: startMs + 10 });
    const { manifest, pendingChanges } = await readState({ reader: readerOf(), memory, nowMs });
    expect(manifest).toBe(log.log.manifest);
    expect([...pendingChanges.keys()]).toEqual([b]);
  });

  test('is remembered with bytes for each entry of its records, not for each record', async () => {
    const shared = new ProcessMemory();
    memory = shared.of('acme', 'task');
    const entities = Object.fromEntries(
      Array.from({ length: 40 }, (_, number) => [idOf(number + 1), { name: 'x' }]),
    );
    for (let record = 0; record < 10; record += 1) log.commit(startMs + record, entities);
    await readState({ reader: readerOf(), memory, nowMs });
    expect(shared.bytes).toBeGreaterThan(10 * 40 * 2_000);
  });

  test('is not remembered when its records are too many for the memory', async () => {
    const shared = new ProcessMemory();
    memory = shared.of('acme', 'task');
    const entities = Object.fromEntries(
      Array.from({ length: 600 }, (_, number) => [idOf(number + 1), { name: 'x' }]),
    );
    for (let record = 0; record < 10; record += 1) log.commit(startMs + record, entities);
    expect((await readState({ reader: readerOf(), memory, nowMs })).pendingChanges.size).toBe(600);
    expect(shared.bytes).toBeLessThan(2_000);
  });

  test('does not contain records that a newer manifest has absorbed than the process knew', async () => {
    log.log.manifest = makeManifest({ watermark: startMs });
    await readState({ reader: readerOf(), memory, nowMs });
    log.commit(nowMs + 10, { [a]: { name: '1' } });
    log.commit(nowMs + 20, { [b]: { name: '2' } });
    log.log.manifest = makeManifest({ watermark: nowMs + 10 });
    expect(await namesAfter(readerOf())).toEqual({ [b]: '2' });
  });
});

describe('a process', () => {
  test('that knows no watermark reads from a little before the usual one, and then down to the real one', async () => {
    log.log.manifest = makeManifest({ watermark: startMs + 5 });
    await readState({ reader: readerOf(), memory, nowMs });
    const guess = 1_000_000 - marginMs - 10_000;
    expect(calls).toEqual([
      ['head', guess],
      ['records', 5, guess],
    ]);
  });

  test('that has read the log reads only what was not settled then, in one query', async () => {
    const settled = nowMs - marginMs;
    log.commit(settled - 1, { [a]: { name: 'settled' } });
    log.commit(settled + 1, { [b]: { name: 'not settled' } });
    log.log.manifest = makeManifest({ watermark: startMs + 5 });
    expect(await namesAfter(readerOf())).toEqual({ [a]: 'settled', [b]: 'not settled' });
    calls = [];
    log.commit(nowMs, { [b]: { name: 'new' } });
    expect(await namesAfter(readerOf(), nowMs + 1_000)).toEqual({ [a]: 'settled', [b]: 'new' });
    expect(await namesAfter(readerOf(), nowMs + 59_999)).toEqual({ [a]: 'settled', [b]: 'new' });
    expect(calls).toEqual([
      ['head', settled - startMs],
      ['head', settled - startMs + 1_000],
    ]);
  });

  test('that has read the log reads from the watermark if that is later', async () => {
    log.log.manifest = makeManifest({ watermark: nowMs - 5 });
    await readState({ reader: readerOf(), memory, nowMs });
    calls = [];
    await readState({ reader: readerOf(), memory, nowMs: nowMs + 1 });
    expect(calls).toEqual([['head', nowMs - 5 - startMs]]);
  });

  test('reads everything again a minute after it has read everything, and then sees records that became visible late', async () => {
    log.log.manifest = makeManifest({ watermark: startMs });
    await readState({ reader: readerOf(), memory, nowMs });
    const late = log.build(nowMs - marginMs - 1, { [a]: { name: 'late' } });
    log.log.records.push(late);
    expect(await namesAfter(readerOf(), nowMs + 59_999)).toEqual({});
    calls = [];
    expect(await namesAfter(readerOf(), nowMs + 60_000)).toEqual({ [a]: 'late' });
    const guess = 1_060_000 - marginMs - 10_000;
    expect(calls).toEqual([
      ['head', guess],
      ['records', 0, guess],
    ]);
  });

  test.each([
    [5_000, 'only the last moments', ['head', nowMs - marginMs - startMs]],
    [5_001, 'everything again', ['head', nowMs - marginMs - 10_000 - startMs]],
  ])('that has read %i settled records reads %s', async (count, _, call) => {
    for (let number = 0; number < count; number += 1) log.commit(startMs, { [idOf(number)]: { name: 'a' } });
    await readState({ reader: readerOf(), memory, nowMs });
    calls = [];
    expect((await readState({ reader: readerOf(), memory, nowMs })).pendingChanges.size).toBe(count);
    expect(calls[0]).toEqual(call);
  });

  test('reads everything again after a gap', async () => {
    log.log.manifest = makeManifest({ watermark: startMs });
    await readState({ reader: readerOf(), memory, nowMs });
    log.log.records.push(log.build(nowMs - marginMs - 1, { [a]: { name: 'late' } }));
    log.commit(nowMs, { [a]: { name: 'next' } });
    await expect(readState({ reader: readerOf(), memory, nowMs })).rejects.toThrow(StaleRead);
    expect(await namesAfter(readerOf())).toEqual({ [a]: 'next' });
  });

  test('reads everything again when the watermark is earlier than it knew', async () => {
    log.log.manifest = makeManifest({ watermark: nowMs - marginMs - 5 });
    await readState({ reader: readerOf(), memory, nowMs });
    log.commit(nowMs - marginMs - 10, { [a]: { name: 'a' } });
    log.log.manifest = makeManifest({ watermark: startMs });
    expect(await namesAfter(readerOf())).toEqual({ [a]: 'a' });
  });

  test('reads the whole log shortly after 1970', async () => {
    await readState({ reader: readerOf(), memory, nowMs: 1_000 });
    expect(calls).toEqual([['head', -startMs]]);
  });
});

describe('a missing record', () => {
  test('of an earlier change above the watermark throws StaleRead', async () => {
    log.commit(nowMs - 3, { [a]: { name: '1' } });
    log.commit(nowMs - 2, { [a]: { name: '2' } });
    log.commit(nowMs - 1, { [a]: { name: '3' } });
    const [first, second] = log.log.records.map(({ key }) => key) as [string, string];
    await readState({ reader: readerOf(), memory, nowMs });
    await expect(readState({ reader: readerOf([first]), memory, nowMs })).rejects.toThrow(StaleRead);
    await expect(readState({ reader: readerOf([first, second]), memory, nowMs })).rejects.toThrow(
      `A list was read while it changed: an earlier record of ${a} is missing.`,
    );
  });

  test('of a change that the manifest has absorbed is no gap', async () => {
    log.commit(startMs + 1, { [a]: { name: '1' } });
    log.commit(startMs + 2, { [a]: { name: '2' } });
    log.log.manifest = makeManifest({ watermark: startMs + 1 });
    const { pendingChanges } = await readState({ reader: readerOf(), memory, nowMs });
    expect(pendingChanges.get(a)).toMatchObject({ from: 1, previousStamp: startMs + 1 });
  });
});
