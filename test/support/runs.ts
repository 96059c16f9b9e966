/**
 * How often random tests and fault suites repeat: a few times in `npm test`, often in `npm run test:all`, which sets `TEST_RUNS=full`. With
 * `TEST_RUNS=third`, random tests run a third of that: continuous integration has 30 minutes.
 */
const level = process.env['TEST_RUNS'];

export const isFullRun = level === 'full' || level === 'third';

/** Returns the number of runs of this test run. */
export const runs = (few: number, full: number): number => (isFullRun ? full : few);

/** Returns the number of random runs of this test run: each of them is another one. */
export const randomRuns = (few: number, full: number): number =>
  level === 'third' ? Math.max(few, Math.ceil(full / 3)) : runs(few, full);
