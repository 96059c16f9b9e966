import { compact } from '#functions/store/lists/engine/compaction/compact.ts';
import { defaultSizes } from '#functions/store/lists/engine/compaction/sizes.ts';
import { sizesOfShare, stepShare } from '#functions/store/lists/engine/compaction/step-share.ts';
import { type LogMemory, ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import { CompactionTooSlow, StoreUnavailable } from '#functions/store/model/errors.ts';
import { idOf, LogBuilder, startMs } from '#test/support/log-builder.ts';

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
