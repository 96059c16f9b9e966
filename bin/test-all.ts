import { suggestion } from '../functions/http/suggestion.ts';
import { flagsOrHelp, runCommand, UsageError } from '../lib/cli/command-line.ts';
import { runSteps } from '../lib/cli/run-steps.ts';
import { stepsBeyondTest, testSteps } from '../lib/cli/test-steps.ts';

const environment = { TEST_RUNS: 'full' };
const beyondTest = stepsBeyondTest(environment);
const allSteps = [...testSteps(environment), ...beyondTest];
const singleSteps = allSteps.flatMap(({ concurrent = [], ...step }) => [step, ...concurrent]);
const names = singleSteps.map(({ name }) => name);

const help = `Runs every kind of test, with all cases and full runs of the random ones, and prints how each ended.

  npm run test:all -- [options]

  --only <step>   runs one step: ${names.slice(0, 4).join(', ')},
                  ${names.slice(4, 8).join(', ')},
                  ${names.slice(8, 12).join(', ')},
                  ${names.slice(12).join(', ')}
  --beyond-test   leaves out what "npm test" runs
  --help          prints this text

One file: npx jest <part of its path>. Tests with a name: npx jest <part of a path> -t '<part of the name>'.
On another DynamoDB: DYNAMODB_ENDPOINT=http://localhost:8000 npx jest <part of a path>`;

await runCommand('npm run test:all', async () => {
  const flags = flagsOrHelp(help, { only: { type: 'string' }, 'beyond-test': { type: 'boolean' } });
  if (!flags) return 0;
  const { only } = flags;
  if (only === undefined) return runSteps(flags['beyond-test'] ? beyondTest : allSteps);
  const step = singleSteps.find(({ name }) => name === only);
  if (!step) throw new UsageError(`There is no step "${only}". ${suggestion(only, names)}`);
  return runSteps([step]);
});
