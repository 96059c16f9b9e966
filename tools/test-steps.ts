/** The steps of `npm test`, of a landing, and of a night. */
import { spawnSync } from 'node:child_process';
import { npm, tool } from '../lib/command-line/programs.ts';
import { runProgram } from '../lib/command-line/run-program.ts';
import { inMemory, startEngine } from '../lib/local/dynamodb-engine.ts';
import { dynamoDbLocal } from '../lib/local/engine-programs.ts';
import { runInOrder } from './run-in-order.ts';
import type { Step } from './run-steps.ts';

/** When steps run: `test` before every commit, `landing` before a change lands, `night` once a day. Each has the steps of those before it. */
export type Occasion = 'test' | 'landing' | 'night';

/** A step that a landing runs only when it changes something that the step is about. */
interface NightStep extends Step {
  /** Beginnings of the paths that the step is about. */
  readonly about: readonly string[];
}

/** Seeds of the simulation. */
const seeds: Readonly<Record<Occasion, number>> = { test: 20, landing: 120, night: 3_000 };

/** CPU seconds after which a landing begins no further mutation. The night runs all. */
const maxMutationSeconds = 200;

/** Projects of jest that need only their own process. */
const inProcess = ['unit', 'contract', 'simulation'];
const ofLandings = ['security', 'mutations'];

const jest = (...args: string[]) => tool('jest', ...args);

const chromiumIsMissing = (): string | undefined =>
  spawnSync('chromium', ['--version']).error === undefined ? undefined : 'there is no Chromium';

const everyTime = (occasion: Occasion): Step[] => [
  { name: 'types', command: tool('tsc', '--noEmit') },
  { name: 'board-types', command: tool('tsc', '--project', 'examples/board') },
  { name: 'lint', command: tool('biome', 'check', '--error-on-warnings', '.') },
  {
    // One run: the workers start once, and no core waits for the last file of each of several runs.
    name: 'tests',
    command: jest('--selectProjects', ...inProcess, ...(occasion === 'test' ? [] : ofLandings)),
    environment: {
      SIMULATION_SEEDS: String(seeds[occasion]),
      ...(occasion !== 'test' && { TEST_RUNS: 'full' }),
      // Each night has seeds that no run had before.
      ...(occasion === 'night' && {
        RANDOM_SEED: String(Math.floor(Date.now() / 1_000)),
        SIMULATION_FIRST_SEED: String(Math.floor(Date.now() / 60_000) % 90_000),
        SIMULATION_KEEPS_SEEDS: 'true',
      }),
    },
  },
];

const everyLanding = (occasion: Occasion, base: string): Step[] => [
  {
    name: 'engine',
    command: jest('--selectProjects', 'contract', 'engine'),
    environment: { TEST_ENGINE: 'embedded' },
  },
  { name: 'stack', command: project('stack') },
  {
    name: 'programs',
    command: project('programs'),
    unavailable: chromiumIsMissing(),
  },
  {
    name: 'mutations',
    command:
      occasion === 'night'
        ? npm('run', '--silent', 'test:mutations')
        : npm(
            ...['run', '--silent', 'test:mutations', '--', '--changed', base],
            ...['--max-seconds', String(maxMutationSeconds)],
          ),
  },
];

/** Options for packages that only a test or a benchmark uses: some of them ask for a later Node.js than they need here. */
const ofOthers = ['--silent', '--engine-strict=false'];

/** Compiles uses of the client with TypeScript 5.4, the oldest version that its types support (32 MB). */
async function testTypeScript(): Promise<number> {
  const folder = 'test/client/typescript-5.4';
  const code = await runInOrder([
    clientBuild,
    npm('install', ...ofOthers, '--no-package-lock', '--prefix', folder),
    npm('test', '--silent', '--prefix', folder),
  ]);
  if (code !== 0) return code;
  const env = { ...process.env, TYPESCRIPT: `${folder}/node_modules/typescript` };
  return runProgram(tool('jest', '--selectProjects', 'programs', '--testPathPatterns', 'client/package'), {
    env,
  });
}

/** Installs the packages that the lock file of a folder names. */
const packagesOf = (folder: string, ...options: string[]) =>
  npm('ci', ...ofOthers, ...options, '--prefix', folder);

const clientBuild = npm('run', '--silent', '--prefix', 'client', 'build');

const project = (name: string) => jest('--selectProjects', name);

/** Installs a folder as its packed file would be, without a link. */
const installed = ['--offline', '--ignore-scripts', '--no-save', '--install-links'];

/** Runs the contract tests on DynamoDB Local. Those of list options make no call that others do not make. */
async function testDynamoDbLocal(): Promise<number> {
  const engine = await startEngine(inMemory, [dynamoDbLocal]);
  try {
    return await runProgram(
      jest('--selectProjects', 'contract', 'engine', '--testPathIgnorePatterns=/list-options/'),
      { env: { ...process.env, DYNAMODB_ENDPOINT: engine.endpoint } },
    );
  } finally {
    await engine.stop();
  }
}

/** A function, because it looks for programs that `npm test` does not need. */
const everyNight = (): readonly NightStep[] => [
  {
    name: 'settings',
    about: ['lib/infrastructure/'],
    command: jest('test/infrastructure/rules', 'test/infrastructure/updates'),
    environment: { TEST_RUNS: 'full' },
  },
  { name: 'typescript', about: ['client/'], command: testTypeScript },
  {
    name: 'openapi-lint',
    about: ['lib/openapi/', 'openapi.json'],
    command: [process.execPath, 'bin/pm-api.mjs', 'openapi', 'lint'],
  },
  {
    name: 'generated-clients',
    about: ['lib/openapi/', 'openapi.json', 'test/generated-clients/'],
    // Lists tasks with clients that other generators make from the OpenAPI document (206 MB).
    command: () => runInOrder([packagesOf('test/generated-clients'), project('generated-clients')]),
  },
  {
    name: 'sync-adapters',
    about: ['client/', 'test/sync-adapters/', 'functions/engine/feed/'],
    // Follows lists with the adapters of the packed client, in the libraries that they are for, and tries the examples of docs/client.md with TanStack
    // Query (155 MB). RxDB brings packages for its other plugins that refuse Node.js 20, which npm takes for an error in a project with `engine-strict`.
    command: () =>
      runInOrder([
        packagesOf('test/sync-adapters', '--ignore-scripts'),
        clientBuild,
        npm('install', ...ofOthers, ...installed, '--prefix', 'test/sync-adapters', './client'),
        npm('run', '--silent', '--prefix', 'test/sync-adapters', 'types'),
        project('sync-adapters'),
      ]),
  },
  {
    name: 'offline-app',
    about: ['client/', 'examples/offline-app/', 'test/offline-app/', 'docs/guides/authentication.md'],
    // Builds the example of an app that works offline, and uses it in Chromium (90 MB).
    command: () =>
      runInOrder([
        clientBuild,
        packagesOf('examples/offline-app', '--ignore-scripts'),
        project('offline-app'),
      ]),
    unavailable: chromiumIsMissing(),
  },
  {
    name: 'agents',
    about: ['client/', 'lib/openapi/', 'test/agents/'],
    // Calls the tools for agents with the official clients of the Model Context Protocol (38 MB).
    command: () => runInOrder([packagesOf('test/agents', '--ignore-scripts'), project('agents')]),
  },
  {
    name: 'amplify',
    about: ['lib/local/live/', 'functions/authentication/', 'test/amplify/'],
    // Follows a channel with the library of AWS (122 MB).
    command: () => runInOrder([packagesOf('test/amplify', '--ignore-scripts'), project('amplify')]),
  },
  {
    name: 'webhook',
    about: ['examples/webhook/', 'functions/jobs/', 'lib/local/event-delivery.ts', 'test/webhook/'],
    // Tries the guide about events, whose webhook has a package of its own, and parses events with the official library (7 MB).
    command: () =>
      runInOrder([
        packagesOf('examples/webhook'),
        tool('tsc', '--project', 'examples/webhook'),
        project('webhook'),
      ]),
  },
  {
    name: 'worked-examples',
    about: ['docs/extending.md', 'functions/contract/', 'test/extending/'],
    command: project('extending'),
  },
  {
    name: 'benchmark-types',
    about: ['benchmarks/'],
    command: () => runInOrder([packagesOf('benchmarks'), tool('tsc', '--project', 'benchmarks/peers')]),
  },
  // With the packages that the step before installs, so that other frameworks are measured too.
  { name: 'benchmarks', about: ['benchmarks/'], command: npm('run', 'bench', '--', '--smallest') },
  {
    name: 'dynamodb-local',
    about: ['test/support/table/'],
    command: testDynamoDbLocal,
    unavailable: dynamoDbLocal() ? undefined : 'DynamoDB Local needs a JDK, Java 17 or later',
  },
];

/** Returns the paths that differ from a commit. Without git, or without the commit, all paths may differ. */
function changedPaths(base: string): readonly string[] | undefined {
  const { status, stdout } = spawnSync('git', ['diff', '--name-only', base], { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n').filter(Boolean) : undefined;
}

const isTouched = ({ about }: NightStep, changed: readonly string[] | undefined): boolean =>
  changed === undefined || changed.some((path) => about.some((beginning) => path.startsWith(beginning)));

/**
 * Returns the steps of an occasion.
 * @param base the commit with which a landing compares, to run the steps and mutations of what it changes.
 */
export function stepsOf(occasion: Occasion, base: string): Step[] {
  const steps = everyTime(occasion);
  if (occasion === 'test') return steps;
  const changed = occasion === 'night' ? undefined : changedPaths(base);
  return [
    ...steps,
    ...everyLanding(occasion, base),
    ...everyNight().filter((step) => isTouched(step, changed)),
  ];
}
