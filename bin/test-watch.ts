import { flagsOrHelp, runCommand } from '../lib/cli/command-line.ts';
import { watchTests } from '../lib/cli/watch-tests.ts';

const help = `Runs the tests of what you save: those of its folder, and the contract tests after a change of the functions.

  npm run test:watch

  --help   prints this text`;

await runCommand('npm run test:watch', async () => (flagsOrHelp(help, {}) ? watchTests() : 0));
