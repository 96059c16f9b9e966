import { flagsOrHelp, runCommand } from '../lib/cli/command-line.ts';
import { runSteps } from '../lib/cli/run-steps.ts';
import { testSteps } from '../lib/cli/test-steps.ts';

const help = `Checks types and lint, runs the unit, contract, infrastructure and client tests, and some of the property and
fault tests. It runs a part of the cases of large tables, and a few random runs; TEST_RUNS=full npm test runs all.
"npm run test:all" also runs the other tests.

  npm test

  --help   prints this text

One file: npx jest <part of its path>. Tests with a name: npx jest <part of a path> -t '<part of the name>'`;

await runCommand('npm test', async () => (flagsOrHelp(help, {}) ? runSteps(testSteps()) : 0));
