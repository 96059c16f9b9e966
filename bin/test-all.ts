/**
 * `npm run test:all`: every kind of test, with full runs of the random ones. `-- --beyond-test` leaves out what `npm test`
 * has run already.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { runSteps, type Step } from '../lib/cli/run-steps.ts';

const { values } = parseArgs({ options: { 'beyond-test': { type: 'boolean', default: false } } });

const exists = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;

const jest = (...kinds: string[]): Step['command'] => ['npx', 'jest', '--selectProjects', ...kinds];

const environment = { TEST_RUNS: 'full' };

/** The kinds that `npm test` runs completely. */
const completeInTest = ['unit', 'contract', 'infrastructure', 'client'];

const beyondTest: Step[] = [
  { name: 'faults, properties', command: jest('faults', 'properties'), environment },
  { name: 'cli, security, fuzz', command: jest('cli', 'security', 'fuzz'), environment },
  { name: 'synthesized', command: ['npm', 'run', 'test:synthesized'] },
  { name: 'DynamoDB Local', command: ['npm', 'run', 'test:dynamodb-local'] },
  { name: 'types of benchmarks', command: ['npm', 'run', 'bench:types'] },
  { name: 'OpenAPI lint', command: ['npm', 'run', 'openapi:lint'] },
  {
    name: 'browser',
    command: ['npm', 'run', 'test:browser'],
    unavailable: exists('chromium') ? undefined : 'there is no Chromium',
  },
];

const all: Step[] = [
  { name: 'types', command: ['npx', 'tsc', '--noEmit'] },
  { name: 'lint', command: ['npm', 'run', 'lint'] },
  { name: completeInTest.join(', '), command: jest(...completeInTest), environment },
  ...beyondTest,
];

process.exitCode = await runSteps(values['beyond-test'] ? beyondTest : all);
