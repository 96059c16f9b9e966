import { emptyManifest, encodeManifest } from '#functions/engine/columns/format/manifest.ts';
import type { Row } from '#functions/engine/model/row.ts';
import { idOf, LogBuilder, startMs } from '../support/log-builder.ts';
import { runs } from '../support/runs.ts';

const tasks = runs(25_000, 200_000);
const statuses = 10_000;
const projects = 1_000;

/** Tasks that one step of compaction absorbs. */
const tasksInStep = 25_000;
const tasksInRecord = 250;

/** The manifest is read by every list, and written by every step. */
const maxManifestBytes = 64 * 1_024;

/** The names of a full segment are all different. */
const maxColumnBytes = 96 * 1_024;

const projectOf = (task: number): string => idOf(tasks + ((task * task) % projects));
const rowOf = (task: number, status = task % statuses): Row => ({
  status: `status-${status}`,
  projectId: projectOf(task),
  name: `Task ${task}`,
});

/** Returns the bytes of a manifest with its key. */
const bytesOf = (item: Record<string, unknown>): number =>
  (item['state'] as Uint8Array).byteLength + JSON.stringify({ ...item, state: '' }).length;

test(`the manifest of ${tasks} tasks with 10,000 statuses stays below 64 KB, and their items below 96 KB`, async () => {
  const builder = new LogBuilder();
  const { log } = builder;
  let stamp = startMs;
  const commit = (numbers: readonly number[], rowAt: (task: number) => Row): void => {
    stamp += 1;
    builder.commit(stamp, Object.fromEntries(numbers.map((task) => [idOf(task), rowAt(task)])));
  };
  const compactAll = async (): Promise<void> => {
    stamp += 1;
    for (let hasMore = true; hasMore; ) {
      ({ hasMore = false } = (await builder.compact(stamp)) ?? {});
      expect(bytesOf(encodeManifest(log.manifest ?? emptyManifest))).toBeLessThan(maxManifestBytes);
    }
  };
  const numbersFrom = (start: number, count: number): number[] =>
    Array.from({ length: count }, (_, offset) => start + offset);

  for (let start = 0; start < tasks; start += tasksInStep) {
    for (let next = start; next < start + tasksInStep; next += tasksInRecord)
      commit(numbersFrom(next, tasksInRecord), rowOf);
    await compactAll();
  }
  // Each step adds a patch with another status of tasks in all segments.
  for (let round = 1; round <= 20; round += 1) {
    commit(
      numbersFrom(0, tasksInRecord).map((number) => (number * 797 + round) % tasks),
      (task) => rowOf(task, (task + round) % statuses),
    );
    await compactAll();
  }

  const sizes = [...log.items.values()].map(({ length }) => length);
  expect(sizes.length).toBeGreaterThan(10);
  expect(Math.max(...sizes)).toBeLessThan(maxColumnBytes);
  expect((await builder.list({ limit: 1 })).total).toBe(tasks);
});
