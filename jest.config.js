/** One project for each kind of test: `npx jest --selectProjects unit`. CONTRIBUTING.md says which kind is for what. */

/** The folders of each kind. */
const kinds = {
  unit: ['test/unit', 'test/mutations'],
  contract: ['test/contract'],
  infrastructure: ['test/infrastructure'],
  client: ['test/client'],
  cli: ['test/cli'],
  properties: ['test/properties'],
  faults: ['test/faults'],
  security: ['test/security'],
  fuzz: ['test/fuzz'],
  // The contract tests again, on the synthesized stacks.
  synthesized: ['test/contract', 'test/synthesized'],
  browser: ['test/browser'],
};

/** Further settings of some kinds. */
const settings = {
  infrastructure: { globalSetup: '<rootDir>/test/infrastructure/global-setup.ts' },
  synthesized: {
    globalSetup: '<rootDir>/test/synthesized/global-setup.ts',
    globalTeardown: '<rootDir>/test/synthesized/global-teardown.ts',
    setupFiles: ['<rootDir>/test/support/one-realm.ts', '<rootDir>/test/synthesized/setup.ts'],
  },
};

const common = {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  setupFiles: ['<rootDir>/test/support/one-realm.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/time-limit.ts'],
  transform: {
    '\\.[cm]?[jt]s$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } },
    ],
  },
  // These packages are ES modules, which jest does not load without a flag.
  transformIgnorePatterns: ['/node_modules/(?!(@middy|uuid|valibot|@faker-js|jose)/)'],
};

export default {
  projects: Object.entries(kinds).map(([displayName, folders]) => ({
    ...common,
    ...settings[displayName],
    displayName,
    testMatch: folders.map((folder) => `<rootDir>/${folder}/**/*.test.ts`),
  })),
  maxWorkers: '100%',
  reporters: ['default', '<rootDir>/test/support/suite-times.js'],
  coverageDirectory: '<rootDir>/coverage',
  collectCoverageFrom: ['functions/**/*.ts', 'lib/**/*.ts', 'client/**/*.ts'],
};
