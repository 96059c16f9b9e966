import { Command } from '@commander-js/extra-typings';
import { runProgram } from '../lib/cli/run-program.ts';
import { tool } from '../lib/cli/tools.ts';

const projects = ['unit', 'contract', 'security', 'simulation', 'stack', 'programs'];

export const command = new Command('coverage')
  .description('Runs the tests, and reports which lines they cover.')
  .action(async () => {
    process.exitCode = await runProgram(tool('jest', '--coverage', '--selectProjects', ...projects));
  });
