/**
 * How often random tests and fault suites repeat: a few times in `npm test`, often in `npm run test:all`, which sets `TEST_RUNS=full`. Some
 * have a variable of their own for longer runs, such as `SEQUENCES` and `HISTORIES`.
 */
export const isFullRun = process.env['TEST_RUNS'] === 'full';

/** Returns the number of runs of this test run. */
export const runs = (few: number, full: number): number => (isFullRun ? full : few);

/**
 * Returns some cases of a table whose cases differ little, beginning with the first: every `step`-th in `npm test`, all of them in
 * `npm run test:all`.
 */
export const someOf = <Case>(cases: readonly Case[], step: number): readonly Case[] =>
  cases.filter((_, place) => isFullRun || place % step === 0);
