import { Command } from '@commander-js/extra-typings';
import { tool } from '../lib/command-line/programs.ts';
import { runProgram } from '../lib/command-line/run-program.ts';

const projects = ['unit', 'contract', 'security', 'simulation', 'stack', 'programs'];

export const command = new Command('coverage')
  .description('Runs the tests, and reports which lines they cover.')
  .action(async () => {
    process.exitCode = await runProgram(tool('jest', '--coverage', '--selectProjects', ...projects));
  });
