/** `npm test`: types, lint, and the tests to run before every commit. */
import { flagsOrHelp, runCommand } from '../lib/cli/command-line.ts';
import { runSteps } from '../lib/cli/run-steps.ts';
import { tool } from '../lib/cli/tools.ts';

const help = `Checks types and lint, runs the unit, contract, infrastructure and client tests, and a few runs of the
property and fault tests. It runs some cases of large tables. "npm run test:all" runs everything.

  npm test

  --help   prints this text

One file: npx jest <part of its path>. Tests with a name: npx jest <part of a path> -t '<part of the name>'`;

/** The folders of the kinds of which every test file runs. */
const wholeKinds = 'test/(unit|mutations|contract|infrastructure|client)/';

/** The property and fault tests that find most errors in little time. */
const selected = 'lists-against|listings-on|lost-responses|crash-points|every-write|simulation';

/** One run: the workers start once, and no core waits for the last file of each of several runs. */
const kinds = ['unit', 'contract', 'infrastructure', 'client', 'properties', 'faults'];

await runCommand('npm test', async () => {
  if (!flagsOrHelp(help, {})) return 0;
  return runSteps([
    { name: 'types', command: tool('tsc', '--noEmit') },
    { name: 'types of the board', command: tool('tsc', '--project', 'examples/board') },
    { name: 'lint', command: tool('biome', 'check', '--error-on-warnings', '.') },
    {
      name: 'tests',
      command: tool('jest', '--selectProjects', ...kinds, '--testPathPatterns', wholeKinds, selected),
    },
  ]);
});
