/** The steps of `npm test`, and those that only `npm run test:all` has. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inMemory, startEngine } from '../local/dynamodb-engine.ts';
import { dynamoDbLocal } from '../local/engine-programs.ts';
import { runInOrder } from './run-in-order.ts';
import { runProgram } from './run-program.ts';
import type { Step } from './run-steps.ts';
import { npm, tool } from './tools.ts';

const wholeKinds = ['unit', 'contract', 'infrastructure', 'client'];

/** The kinds of which `npm test` runs only some files: those that find most errors in little time. */
const partialKinds = ['faults', 'properties'];

const selectedFiles = 'lists-against|listings-on|lost-responses|crash-points|every-write|simulation';

const wholeFolders = `test/(${wholeKinds.join('|')}|mutations)/`;

/** Returns types, lint, and the tests to run before every commit. @param environment of the tests. */
export const testSteps = (environment: Readonly<Record<string, string>> = {}): Step[] => [
  { name: 'types', command: tool('tsc', '--noEmit') },
  { name: 'board-types', command: tool('tsc', '--project', 'examples/board') },
  { name: 'lint', command: tool('biome', 'check', '--error-on-warnings', '.') },
  {
    // One run: the workers start once, and no core waits for the last file of each of several runs.
    name: 'tests',
    command: tool(
      'jest',
      '--selectProjects',
      ...wholeKinds,
      ...partialKinds,
      '--testPathPatterns',
      wholeFolders,
      selectedFiles,
    ),
    environment,
  },
];

/** Options for packages that only a test or a benchmark uses: some of them ask for a later Node.js than they need here. */
const ofOthers = ['--silent', '--engine-strict=false'];

/** Compiles uses of the client with TypeScript 5.4, the oldest version that its types support (32 MB). */
async function testTypeScript(): Promise<number> {
  const folder = 'test/client/typescript-5.4';
  const code = await runInOrder([
    npm('run', '--silent', '--prefix', 'client', 'build'),
    npm('install', ...ofOthers, '--no-package-lock', '--prefix', folder),
    npm('test', '--silent', '--prefix', folder),
  ]);
  if (code !== 0) return code;
  const env = { ...process.env, TYPESCRIPT: `${folder}/node_modules/typescript` };
  return runProgram(tool('jest', '--selectProjects', 'client', '--testPathPatterns', 'client/package'), {
    env,
  });
}

/** Lists tasks with clients that other generators make from the OpenAPI document (206 MB). */
async function testGeneratedClients(): Promise<number> {
  const folder = 'test/generated-clients';
  return runInOrder([
    npm('ci', ...ofOthers, '--prefix', folder),
    tool('jest', '--selectProjects', 'generated-clients'),
  ]);
}

/**
 * Follows lists with the adapters of docs/sync.md, in the libraries that they are for, and compiles the example of docs/client.md with React (155 MB).
 * RxDB brings packages for its other plugins that refuse Node.js 20, which npm takes for an error in a project with `engine-strict`.
 */
async function testSyncAdapters(): Promise<number> {
  const folder = 'test/sync-adapters';
  return runInOrder([
    npm('ci', ...ofOthers, '--ignore-scripts', '--prefix', folder),
    npm('run', '--silent', '--prefix', folder, 'types'),
    tool('jest', '--selectProjects', 'sync-adapters'),
  ]);
}

/** Tries the guide about events, whose webhook has a package of its own, and parses events with the official library (7 MB). */
async function testWebhook(): Promise<number> {
  const folder = 'examples/webhook';
  return runInOrder([
    npm('ci', ...ofOthers, '--prefix', folder),
    tool('tsc', '--project', folder),
    tool('jest', '--selectProjects', 'webhook'),
  ]);
}

/** Calls the tools for agents with the official clients of the Model Context Protocol (38 MB). */
async function testAgents(): Promise<number> {
  const folder = 'test/agents';
  return runInOrder([
    npm('ci', ...ofOthers, '--ignore-scripts', '--prefix', folder),
    tool('jest', '--selectProjects', 'agents'),
  ]);
}

/** Returns the unit tests of a folder that start a database. */
const databaseTests = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(folder, file))
    .filter((file) => /\b(?:startTest(?:Store|Service)|useEmptyTable)\b/.test(readFileSync(file, 'utf8')));

/**
 * Runs the tests that use the database on DynamoDB Local. The suites of list options make no call that others do not make. Those of rate limits count
 * units, of which DynamoDB Local reports other numbers than DynamoDB.
 */
async function testDynamoDbLocal(): Promise<number> {
  const engine = await startEngine(inMemory, [dynamoDbLocal]);
  const tests = ['test/contract', ...databaseTests('test/unit/functions')];
  try {
    return await runProgram(
      tool('jest', '--maxWorkers=2', ...tests, '--testPathIgnorePatterns=/list-options/|/rate-limit'),
      { env: { ...process.env, DYNAMODB_ENDPOINT: engine.endpoint } },
    );
  } finally {
    await engine.stop();
  }
}

/** Returns the steps that `npm test` does not have. @param environment of the tests. */
export function stepsBeyondTest(environment: Readonly<Record<string, string>>): Step[] {
  const hasBrowser = spawnSync('chromium', ['--version']).error === undefined;
  return [
    {
      name: 'faults-and-properties',
      command: tool('jest', '--selectProjects', ...partialKinds, '--testPathIgnorePatterns', selectedFiles),
      environment,
      concurrent: [
        { name: 'typescript', command: testTypeScript },
        { name: 'benchmark-packages', command: npm('ci', ...ofOthers, '--prefix', 'benchmarks') },
        { name: 'benchmark-types', command: tool('tsc', '--project', 'benchmarks/peers') },
        { name: 'openapi-lint', command: npm('run', 'openapi', '--', 'lint') },
        { name: 'generated-clients', command: testGeneratedClients },
        { name: 'sync-adapters', command: testSyncAdapters },
        { name: 'agents', command: testAgents },
        { name: 'webhook', command: testWebhook },
      ],
    },
    {
      name: 'cli-security-fuzz',
      // The browser and the services that it uses need a core.
      command: tool('jest', '--selectProjects', 'cli', 'security', 'fuzz', '--maxWorkers=2'),
      environment,
      concurrent: [
        {
          name: 'browser',
          command: tool('jest', '--selectProjects', 'browser', '--runInBand'),
          environment,
          unavailable: hasBrowser ? undefined : 'there is no Chromium',
        },
      ],
    },
    { name: 'worked-examples', command: tool('jest', '--selectProjects', 'extending'), environment },
    // With the packages that an earlier step installs, so that other frameworks are measured too.
    { name: 'benchmarks', command: npm('run', 'bench', '--', '--smallest') },
    { name: 'synthesized', command: tool('jest', '--config', 'jest.synthesized.config.js') },
    {
      name: 'dynamodb-local',
      command: testDynamoDbLocal,
      unavailable: dynamoDbLocal() ? undefined : 'DynamoDB Local needs a JDK, Java 17 or later',
    },
  ];
}
