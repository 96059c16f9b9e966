/** Random histories of the whole service. `SIMULATION_SEEDS` says how many, `SIMULATION_FIRST_SEED` with which they begin. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Faults } from '../support/table/faults.ts';
import { simulate } from './life.ts';
import type { Conditions } from './world.ts';

const count = Number(process.env['SIMULATION_SEEDS'] ?? 20);
const first = Number(process.env['SIMULATION_FIRST_SEED'] ?? 1);

/** What a table in the cloud does each day. */
const usual: Faults = { latencyMs: [1, 60], holdMs: [0, 15], lagMs: [0, 2_000], staleReads: 0.3 };

const bad: Faults = {
  ...usual,
  throttles: 0.03,
  conflicts: 0.04,
  lostRequests: 0.02,
  lostResponses: 0.04,
  lateCommits: 0.02,
  lateMs: [200, 2_500],
  unprocessedKeys: 0.2,
};

/** The conditions of histories, in turns. */
const conditions: readonly Conditions[] = [
  { faults: usual },
  { faults: bad },
  { faults: usual, meanCrashMs: 20_000 },
  { faults: bad, meanCrashMs: 30_000, clockJumps: { meanMs: 30_000, maxMs: 1_000 } },
];

const hourMs = 3_600_000;
const restsMs = [hourMs / 6, 3 * hourMs, 60 * hourMs, 20 * 24 * hourMs, 32 * 24 * hourMs];

/** Tasks of a project in which each deletion and restore takes a job; and in which one transaction deletes, and a job restores. */
const manyTasks = [110, 60];

/** Returns what few histories have besides. Those with many tasks take longest. @param number of the history in its part. */
const rareOf = (number: number): Conditions => ({
  ...(number % 5 === 1 && { tasks: manyTasks[Math.floor(number / 20) % manyTasks.length], steps: 12 }),
  ...(number % 5 === 3 && { hasCommands: true }),
  ...(number % 7 === 2 && { losesPositions: true }),
  ...(number % 4 === 3 && { losesNumbers: true }),
  ...(number % 6 === 4 && { restMs: restsMs[Math.floor(number / 6) % restsMs.length] }),
});

/** The seeds that failed once. Each run has them. */
const failedFile = join(__dirname, 'failed-seeds.json');

const failedSeeds = (): number[] => JSON.parse(readFileSync(failedFile, 'utf8')) as number[];

function keepFailedSeed(seed: number): void {
  if (!process.env['SIMULATION_KEEPS_SEEDS']) return;
  const seeds = [...new Set([...failedSeeds(), seed])].sort((one, other) => one - other);
  writeFileSync(failedFile, `${JSON.stringify(seeds)}\n`);
}

/**
 * Tests a part of the histories. A worker runs a file, so the parts run at the same time.
 * @param part from 0 up to, but without, `parts`.
 */
export function testHistories(part: number, parts: number): void {
  beforeAll(() => {
    // Failed requests are logged, and many fail here.
    jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  });

  afterAll(() => jest.restoreAllMocks());

  const all = [...Array.from({ length: count }, (_, number) => first + number), ...failedSeeds()];
  // One seed, which somebody repeats, is in each part.
  const isOwn = (seed: number): boolean => count < parts || seed % parts === part;
  const seeds = [...new Set(all)].filter(isOwn).sort((one, other) => one - other);

  test.each(seeds)('history %i', async (seed) => {
    const number = Math.floor(seed / parts);
    const history = simulate(seed, { ...conditions[number % conditions.length], ...rareOf(number) });
    const { counts } = await history.catch((error: unknown) => {
      keepFailedSeed(seed);
      throw error;
    });
    expect(counts.lists).toBeGreaterThan(10);
    expect(counts.feeds).toBeGreaterThan(3);
  });
}
