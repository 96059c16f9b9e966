/** One project for each kind of test: `npx jest --selectProjects unit`. CONTRIBUTING.md says which kind is for what. */
import { availableParallelism } from 'node:os';

// The SDK reports on Node.js 20 that its releases of 2027 need a later one: in each worker, in the output of tests that pass.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';

/** The folders of each kind. */
const kinds = {
  unit: ['test/unit'],
  contract: ['test/contract'],
  // On the service in the process, with an issuer of tokens or generated requests. Those of `contract` run on any service.
  security: ['test/security', 'test/fuzz'],
  simulation: ['test/simulation'],
  mutations: ['test/mutations'],
  engine: ['test/engine'],
  stack: ['test/infrastructure'],
  programs: ['test/cli', 'test/client', 'test/browser'],
  'generated-clients': ['test/generated-clients'],
  'sync-adapters': ['test/sync-adapters'],
  'offline-app': ['test/offline-app'],
  agents: ['test/agents'],
  amplify: ['test/amplify'],
  extending: ['test/extending'],
  webhook: ['test/webhook'],
};

/** Further settings of some kinds. */
const settings = {
  stack: { globalSetup: '<rootDir>/test/infrastructure/global-setup.ts' },
};

/** Settings of every kind. */
export const common = {
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/test/support/worker-environment.mjs',
  setupFilesAfterEnv: ['<rootDir>/test/support/every-test.ts'],
  transform: {
    '\\.[cm]?[jt]s$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } },
    ],
  },
  // These packages are ES modules, which jest does not load without a flag.
  transformIgnorePatterns: [
    '/node_modules/(?!(@middy|uuid|valibot|@faker-js|jose|fractional-indexing|oauth4webapi)/)',
  ],
};

/** Settings of every run. */
export const run = {
  maxWorkers: availableParallelism(),
  // A worker with a gigabyte in memory takes up to half a second to exit, which is jest's default: then it reports a leak that does not exist.
  workerGracefulExitTimeout: 5_000,
  reporters: ['default', '<rootDir>/test/support/suite-times.js'],
};

export default {
  ...run,
  projects: Object.entries(kinds).map(([displayName, folders]) => ({
    ...common,
    ...settings[displayName],
    displayName,
    testMatch: folders.map((folder) => `<rootDir>/${folder}/**/*.test.ts`),
  })),
  coverageDirectory: '<rootDir>/coverage',
  collectCoverageFrom: ['functions/**/*.ts', 'lib/**/*.ts', 'client/**/*.ts', 'tools/**/*.ts'],
};
