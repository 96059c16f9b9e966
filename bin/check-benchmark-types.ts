/** `npm run bench:types`: checks the types of the frameworks that the benchmarks compare with. */
import { flagsOrHelp, runCommand } from '../lib/cli/command-line.ts';
import { runInOrder } from '../lib/cli/run-in-order.ts';
import { npm, tool } from '../lib/cli/tools.ts';

const help = `Checks the types of the programs in benchmarks/peers. Installs the dependencies of the benchmarks first.

  npm run bench:types

  --help   prints this text`;

await runCommand('npm run bench:types', async () => {
  if (!flagsOrHelp(help, {})) return 0;
  return runInOrder([
    npm('ci', '--silent', '--prefix', 'benchmarks'),
    tool('tsc', '--project', 'benchmarks/peers'),
  ]);
});
