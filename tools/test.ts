import { Command, Option } from '@commander-js/extra-typings';
import { runSteps } from './run-steps.ts';
import { type Occasion, stepsOf } from './test-steps.ts';

const names = stepsOf('night', '').map(({ name }) => name);

export const command = new Command('test')
  .description(
    `Checks types and lint; runs the unit tests, the contract tests and 20 histories of the simulation. One file: npx jest <part of its path>. Tests with a name: npx jest <part of a path> -t '<part of the name>'`,
  )
  .option(
    '--landing',
    'also runs what a change must pass to land: the contract tests on the embedded engine, the stacks, the programs, 120 histories, and the mutations and peers of what the change touches',
  )
  .option('--nightly', 'runs everything, with new histories. The same as: npm run test:nightly')
  .option('--base <commit>', 'with which a landing compares', 'HEAD^')
  .addOption(new Option('--only <step>', 'runs one step').choices(names))
  .action(async ({ landing, nightly, base, only }) => {
    const occasion: Occasion = nightly ? 'night' : landing ? 'landing' : 'test';
    const steps =
      only === undefined
        ? stepsOf(occasion, base)
        : stepsOf('night', base).filter(({ name }) => name === only);
    process.exitCode = await runSteps(steps);
  });
