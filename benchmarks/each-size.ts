/** Measures collections of several sizes, each in a process of its own: ids never go back in time, and collections begin in the past. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { formOption, isSmallest, usualOrSmallest } from './form.ts';

const { values } = parseArgs({ options: { sizes: { type: 'string' }, ...formOption } });

/**
 * Measures all sizes of the command line (`--sizes 10000,100000`).
 * @param name of the benchmark, which this runs again for each size.
 * @param measure measures one size, and reports the results as often as it likes. After the number of a size, a colon and the form of the collection
 * can stand.
 * @param publishAll receives the last results of each size.
 * @param usualSizes without \`--sizes\`.
 */
export async function measureEachSize<Results extends object>(
  name: string,
  measure: (size: number, report: (results: Results) => void, form: string | undefined) => Promise<void>,
  publishAll: (results: readonly Results[]) => void,
  usualSizes = '10000,100000',
): Promise<void> {
  const { sizes = usualOrSmallest(usualSizes, '200') } = values;
  if (process.send) {
    const [size, form] = sizes.split(':');
    return measure(Number(size), (results) => process.send?.(results), form);
  }
  const program = fileURLToPath(new URL('../bin/pm-api.mjs', import.meta.url));
  const bySize = new Map<string, Results>();
  for (const size of sizes.split(',')) {
    const child = fork(program, ['bench', name, '--sizes', size, ...(isSmallest ? ['--smallest'] : [])]);
    child.on('message', (results) => {
      bySize.set(size, results as Results);
      publishAll([...bySize.values()]);
    });
    const [code] = (await once(child, 'exit')) as [number];
    if (code !== 0 || !bySize.has(size)) throw new Error(`The measurement of ${size} tasks failed.`);
  }
}
