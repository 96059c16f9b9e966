/** `npm run test:all`: every kind of test, with full runs of the random ones. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { flagsOrHelp, runCommand } from '../lib/cli/command-line.ts';
import { runSteps, type Step } from '../lib/cli/run-steps.ts';
import { npm, tool } from '../lib/cli/tools.ts';

const help = `Runs every kind of test, with full runs of the random ones, and prints how each ended.

  npm run test:all -- [options]

  --beyond-test   leaves out what "npm test" runs completely
  --help          prints this text

One file: npx jest <part of its path>. Tests with a name: npx jest <part of a path> -t '<part of the name>'`;

const exists = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;

const hasBrowser = exists('chromium');

const jest = (...kinds: string[]): Step['command'] => tool('jest', '--selectProjects', ...kinds);

const environment = { TEST_RUNS: 'full' };

/** The kinds of which `npm test` runs every test file, though not every case. */
const wholeInTest = ['unit', 'contract', 'infrastructure', 'client'];

/** Returns the test files of these kinds of whose cases `npm test` runs a part: they ask `test/support/runs.ts` which. */
const filesInPart = (): string[] =>
  wholeInTest
    .flatMap((kind) =>
      readdirSync(`test/${kind}`, { recursive: true, encoding: 'utf8' }).map(
        (file) => `test/${kind}/${file}`,
      ),
    )
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => /\/support\/runs\.ts'|\bsome(?:Lists|Resources)\b/.test(readFileSync(file, 'utf8')));

const allCases = (): Step => ({
  name: 'all cases',
  command: [...jest(...wholeInTest), '--runTestsByPath', ...filesInPart()],
  environment,
});

const further: Step[] = [
  {
    name: 'faults, properties',
    command: jest('faults', 'properties'),
    environment,
    concurrent: [
      { name: 'client, TypeScript 5.4', command: npm('run', 'test:typescript') },
      { name: 'types of benchmarks', command: npm('run', 'bench:types') },
      { name: 'OpenAPI lint', command: npm('run', 'openapi:lint') },
    ],
  },
  {
    name: 'cli, security, fuzz, browser',
    command: jest('cli', 'security', 'fuzz', ...(hasBrowser ? ['browser'] : [])),
    environment,
  },
  { name: 'synthesized', command: npm('run', 'test:synthesized') },
  { name: 'DynamoDB Local', command: npm('run', 'test:dynamodb-local') },
  ...(hasBrowser
    ? []
    : [{ name: 'browser', command: npm('run', 'test:browser'), unavailable: 'there is no Chromium' }]),
];

const all: Step[] = [
  { name: 'types', command: tool('tsc', '--noEmit') },
  { name: 'types of the board', command: tool('tsc', '--project', 'examples/board') },
  { name: 'lint', command: npm('run', 'lint') },
  { name: wholeInTest.join(', '), command: jest(...wholeInTest), environment },
  ...further,
];

await runCommand('npm run test:all', async () => {
  const flags = flagsOrHelp(help, { 'beyond-test': { type: 'boolean' } });
  return flags ? runSteps(flags['beyond-test'] ? [allCases(), ...further] : all) : 0;
});
