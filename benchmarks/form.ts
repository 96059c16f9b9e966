/** The form in which a benchmark runs: the usual one, or the smallest one, which takes seconds and writes no file. CI runs the smallest. */

/** Whether the benchmark runs in its smallest form. */
export const isSmallest = process.argv.includes('--smallest');

/** Returns the value of the form in which the benchmark runs. */
export const usualOrSmallest = <Value>(usual: Value, smallest: Value): Value =>
  isSmallest ? smallest : usual;

/** The option of `parseArgs` for a benchmark that has options of its own. */
export const formOption = { smallest: { type: 'boolean' } } as const;
