import { Command } from '@commander-js/extra-typings';
import { watchTests } from './watch-tests.ts';

export const command = new Command('test:watch')
  .description(
    'Runs the tests of what you save: those of its folder, and the contract tests after a change of the functions.',
  )
  .action(watchTests);
