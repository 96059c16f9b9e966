import { allowedConditions, type Conditions, History } from '../simulation/history.ts';
import { runs } from '../support/runs.ts';

/** Random histories of the list engine. The error of a test names the seed of a history, which repeats it. */

/** Histories of all tests together. `HISTORIES=3000 npx jest test/simulation` takes most of an hour. */
const histories = Number(process.env['HISTORIES'] ?? runs(2, 16));

/** Fewer histories may lack an event, such as a transaction that is executed after it was withdrawn. */
const historiesWithAllEvents = 16;

/** Histories of one test, at most: about half a minute. */
const maxHistories = 15;

/** The seed of the first history. `SEED` selects others. */
const firstSeed = Number(process.env['SEED'] ?? 1);

/** What the histories of all tests counted. */
const totals = new Map<string, number>();

/** Returns the first and the last seed of each test, for a share of the histories. */
function seedRanges(share: number): (readonly [first: number, last: number])[] {
  const count = Math.ceil(histories * share);
  return Array.from({ length: Math.ceil(count / maxHistories) }, (_, position) => [
    firstSeed + position * maxHistories,
    firstSeed + Math.min(count, (position + 1) * maxHistories) - 1,
  ]);
}

/** Runs histories. @throws Error that names the first one with a wrong list. */
async function runHistories(
  [first, last]: readonly [number, number],
  conditionsOf: (seed: number) => Conditions,
): Promise<void> {
  for (let seed = first; seed <= last; seed += 1) {
    const history = new History(seed, conditionsOf(seed));
    try {
      await history.run();
      await history.finish();
    } catch (error) {
      throw new Error(`History ${seed}: ${(error as Error).message}`, { cause: error });
    }
    expect(history.counts.lists).toBeGreaterThan(0);
    for (const [name, count] of Object.entries(history.counts))
      totals.set(name, (totals.get(name) ?? 0) + count);
  }
}

describe('under the allowed conditions', () => {
  test.each(seedRanges(1 / 2))('every list of the histories %i to %i is right', async (...seeds) => {
    await runHistories(seeds, () => allowedConditions);
  });
});

describe('when transactions are executed after their writers gave them up', () => {
  // Clocks are so good that the margin allows for it.
  const lateExecutions: Conditions = { ...allowedConditions, maxCommitMs: 4_000, haveWrongClocks: false };

  test.each(seedRanges(1 / 4))('every list of the late histories %i to %i is right', async (...seeds) => {
    await runHistories(seeds, () => lateExecutions);
  });
});

describe('when queries read ten records at a time', () => {
  test.each(seedRanges(1 / 4))(
    'every entity of each list of the histories %i to %i is as it was during the list',
    async (...seeds) => {
      await runHistories(seeds, () => ({ ...allowedConditions, pageSize: 10 }));
    },
  );
});

describe('when commits are later than the margin', () => {
  const lateCommits = (seed: number): Conditions => ({
    ...allowedConditions,
    maxCommitMs: 60_000 + 10_000 * (seed % 4),
    isWrongMeanwhile: true,
  });

  test.each(seedRanges(1 / 4))(
    'the lists at the end of the histories %i to %i are right',
    async (...seeds) => {
      await runHistories(seeds, lateCommits);
    },
  );
});

if (histories >= historiesWithAllEvents) {
  test('late commits, crashes and all other events occurred', () => {
    expect(totals.size).toBeGreaterThan(0);
    expect([...totals].filter(([, count]) => count === 0)).toEqual([]);
  });
}
