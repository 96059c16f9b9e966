import { runs } from '../support/runs.ts';
import { allowedConditions, type Conditions, History, type HistoryCounts } from './history.ts';

/** Random histories of the list engine. The error of a test names the seed of a history, which repeats it. */

/** Histories of all tests together. `HISTORIES=3000 npm run test:simulation` takes most of an hour. */
const histories = Number(process.env['HISTORIES'] ?? runs(2, 16));

/** Histories of one test, at most: about half a minute. */
const maxHistories = 15;

/** The seed of the first history. `SEED` selects others. */
const firstSeed = Number(process.env['SEED'] ?? 1);

/** Returns the first and the last seed of each test. */
const seedRanges = (count: number): (readonly [first: number, last: number])[] =>
  Array.from({ length: Math.ceil(count / maxHistories) }, (_, position) => [
    firstSeed + position * maxHistories,
    firstSeed + Math.min(count, (position + 1) * maxHistories) - 1,
  ]);

/** Runs histories. @throws Error that names the first one with a wrong list. */
async function runHistories(
  [first, last]: readonly [number, number],
  conditionsOf: (seed: number) => Conditions,
): Promise<HistoryCounts> {
  const total = new Map<string, number>();
  for (let seed = first; seed <= last; seed += 1) {
    const history = new History(seed, conditionsOf(seed));
    try {
      await history.run();
      await history.finish();
    } catch (error) {
      throw new Error(`History ${seed}: ${(error as Error).message}`, { cause: error });
    }
    for (const [name, count] of Object.entries(history.counts))
      total.set(name, (total.get(name) ?? 0) + count);
  }
  return Object.fromEntries(total) as unknown as HistoryCounts;
}

/**
 * Checks that as many histories as one test has simulate everything; in fewer, an event may not occur. Only some conditions allow a
 * transaction to be executed after it was withdrawn.
 */
function requireEvents(
  { executedTooLate: _, ...usual }: HistoryCounts,
  [first, last]: readonly [number, number],
  unusual: Partial<HistoryCounts> = {},
): void {
  if (last - first + 1 < maxHistories) return;
  expect(Object.entries({ ...usual, ...unusual }).filter(([, count]) => count === 0)).toEqual([]);
}

describe('under the allowed conditions', () => {
  test.each(seedRanges(histories / 2))('every list of the histories %i to %i is right', async (...seeds) => {
    requireEvents(await runHistories(seeds, () => allowedConditions), seeds);
  });
});

describe('when transactions are executed after their writers gave them up', () => {
  // Clocks are so good that the margin allows for it.
  const lateExecutions: Conditions = { ...allowedConditions, maxCommitMs: 7_000, maxClockSkewMs: 1_500 };

  test.each(seedRanges(histories / 4))(
    'every list of the late histories %i to %i is right',
    async (...seeds) => {
      const counts = await runHistories(seeds, () => lateExecutions);
      requireEvents(counts, seeds, { executedTooLate: counts.executedTooLate });
    },
  );
});

describe('when queries read ten records at a time', () => {
  test.each(seedRanges(histories / 4))(
    'every entity of each list of the histories %i to %i is as it was during the list',
    async (...seeds) => {
      requireEvents(await runHistories(seeds, () => ({ ...allowedConditions, pageSize: 10 })), seeds);
    },
  );
});

describe('when commits are later than the margin', () => {
  const lateCommits = (seed: number): Conditions => ({
    ...allowedConditions,
    maxCommitMs: 60_000 + 10_000 * (seed % 4),
    isWrongMeanwhile: true,
  });

  test.each(seedRanges(histories / 4))(
    'the lists at the end of the histories %i to %i are right',
    async (...seeds) => {
      requireEvents(await runHistories(seeds, lateCommits), seeds);
    },
  );
});
