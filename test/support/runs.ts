/**
 * How often random tests and fault suites repeat: a few times in `npm test`, often in a landing, which sets `TEST_RUNS=full`. Some
 * have a variable of their own for longer runs, such as `SEQUENCES` and `HISTORIES`.
 */
export const isFullRun = process.env['TEST_RUNS'] === 'full';

/** Returns the number of runs of this test run. */
export const runs = (few: number, full: number): number => (isFullRun ? full : few);

/**
 * Returns some cases of a table whose cases differ little, beginning with the first: every `step`-th in `npm test`, all of them in
 * a landing.
 */
export const someOf = <Case>(cases: readonly Case[], step: number): readonly Case[] =>
  cases.filter((_, place) => isFullRun || place % step === 0);

/** Whether this is a run of the night, which has random seeds of its own and many more cases. */
export const isNight = process.env['RANDOM_SEED'] !== undefined;
