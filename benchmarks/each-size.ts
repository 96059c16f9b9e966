/** Measures collections of several sizes, each in a process of its own: ids never go back in time, and collections begin in the past. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { formOption, isSmallest, usualOrSmallest } from './form.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string' },
    descriptions: { type: 'string', default: 'usual' },
    ...formOption,
  },
});

/**
 * The descriptions of tasks: `usual` ones; `short` ones of up to 100 characters, which rows have whole; or `words`, 300 characters of words that are as
 * frequent as in a language.
 */
export const { descriptions } = values;

/**
 * Measures all sizes of the command line (`--sizes 10000,100000`).
 * @param name of the benchmark, which this runs again for each size.
 * @param measure measures one size, and reports the results as often as it likes.
 * @param publishAll receives the last results of each size.
 * @param usualSizes without \`--sizes\`.
 */
export async function measureEachSize<Results extends object>(
  name: string,
  measure: (size: number, report: (results: Results) => void) => Promise<void>,
  publishAll: (results: readonly Results[]) => void,
  usualSizes = '10000,100000',
): Promise<void> {
  if (process.send) return measure(Number(values.sizes), (results) => process.send?.(results));
  const program = fileURLToPath(new URL('../bin/pm-api.mjs', import.meta.url));
  const described = descriptions === 'usual' ? [] : ['--descriptions', descriptions];
  const form = [...(isSmallest ? ['--smallest'] : []), ...described];
  const bySize = new Map<number, Results>();
  const { sizes = usualOrSmallest(usualSizes, '200') } = values;
  for (const size of sizes.split(',').map(Number)) {
    const child = fork(program, ['bench', name, '--sizes', String(size), ...form]);
    child.on('message', (results) => {
      bySize.set(size, results as Results);
      publishAll([...bySize.values()]);
    });
    const [code] = (await once(child, 'exit')) as [number];
    if (code !== 0 || !bySize.has(size)) throw new Error(`The measurement of ${size} tasks failed.`);
  }
}
