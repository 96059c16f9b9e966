import { suggestion } from '../functions/http/suggestion.ts';
import { flagsOrHelp, runCommand, UsageError } from '../lib/cli/command-line.ts';
import { runSteps } from '../lib/cli/run-steps.ts';
import { type Occasion, stepsOf } from '../lib/cli/test-steps.ts';

const names = stepsOf('night', '').map(({ name }) => name);

const help = `Checks types and lint; runs the unit tests, the contract tests and 20 histories of the simulation.

  npm test [-- options]

  --landing       also runs what a change must pass to land: the contract tests on the embedded engine, the stacks, the
                  programs, 300 histories, and the mutations and peers of what the change touches
  --nightly       runs everything, with new histories. The same as: npm run test:nightly
  --base <commit> with which a landing compares. Default: the commit before the last one
  --only <step>   runs one step: ${names.slice(0, 6).join(', ')},
                  ${names.slice(6, 11).join(', ')},
                  ${names.slice(11, 15).join(', ')},
                  ${names.slice(15).join(', ')}
  --help          prints this text

One file: npx jest <part of its path>. Tests with a name: npx jest <part of a path> -t '<part of the name>'`;

await runCommand(process.argv.includes('--nightly') ? 'npm run test:nightly' : 'npm test', async () => {
  const flags = flagsOrHelp(help, {
    landing: { type: 'boolean' },
    nightly: { type: 'boolean' },
    base: { type: 'string' },
    only: { type: 'string' },
  });
  if (!flags) return 0;
  const { landing, nightly, only, base = 'HEAD^' } = flags;
  const occasion: Occasion = nightly ? 'night' : landing ? 'landing' : 'test';
  if (only === undefined) return runSteps(stepsOf(occasion, base));
  const step = stepsOf('night', base).find(({ name }) => name === only);
  if (!step) throw new UsageError(`There is no step "${only}". ${suggestion(only, names)}`);
  return runSteps([step]);
});
