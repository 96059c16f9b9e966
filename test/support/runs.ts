/**
 * How often random tests and fault suites repeat: a few times in `npm test`, often in `npm run test:all`, which sets `TEST_RUNS=full`. Some
 * have a variable of their own for longer runs, such as `SEQUENCES` and `HISTORIES`.
 */
export const isFullRun = process.env['TEST_RUNS'] === 'full';

/** Returns the number of runs of this test run. */
export const runs = (few: number, full: number): number => (isFullRun ? full : few);
