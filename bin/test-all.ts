import { spawnSync } from 'node:child_process';
import { flagsOrHelp, runCommand } from '../lib/cli/command-line.ts';
import { runSteps, type Step } from '../lib/cli/run-steps.ts';
import { partialKinds, selectedFiles, testSteps } from '../lib/cli/test-steps.ts';
import { npm, tool } from '../lib/cli/tools.ts';

const help = `Runs every kind of test, with all cases and full runs of the random ones, and prints how each ended.

  npm run test:all -- [options]

  --beyond-test   leaves out what "npm test" runs
  --help          prints this text

One file: npx jest <part of its path>. Tests with a name: npx jest <part of a path> -t '<part of the name>'`;

const exists = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;

const hasBrowser = exists('chromium');

const environment = { TEST_RUNS: 'full' };

const beyondTest: Step[] = [
  {
    name: 'faults, properties',
    command: tool('jest', '--selectProjects', ...partialKinds, '--testPathIgnorePatterns', selectedFiles),
    environment,
    concurrent: [
      { name: 'client, TypeScript 5.4', command: npm('run', 'test:typescript') },
      { name: 'types of benchmarks', command: npm('run', 'bench:types') },
      { name: 'OpenAPI lint', command: npm('run', 'openapi:lint') },
    ],
  },
  {
    name: 'cli, security, fuzz, browser',
    command: tool('jest', '--selectProjects', 'cli', 'security', 'fuzz', ...(hasBrowser ? ['browser'] : [])),
    environment,
  },
  { name: 'synthesized', command: npm('run', 'test:synthesized') },
  { name: 'DynamoDB Local', command: npm('run', 'test:dynamodb-local') },
  ...(hasBrowser
    ? []
    : [{ name: 'browser', command: npm('run', 'test:browser'), unavailable: 'there is no Chromium' }]),
];

await runCommand('npm run test:all', async () => {
  const flags = flagsOrHelp(help, { 'beyond-test': { type: 'boolean' } });
  if (!flags) return 0;
  return runSteps(flags['beyond-test'] ? beyondTest : [...testSteps(environment), ...beyondTest]);
});
