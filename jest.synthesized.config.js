/**
 * The contract tests again, on the synthesized stacks: a run of its own, because they are the same files. The suites of list options make
 * no call to DynamoDB that others do not make.
 */
import { common, run } from './jest.config.js';

export default {
  ...run,
  // Each worker starts a process for each function that its tests call.
  maxWorkers: '100%',
  projects: [
    {
      ...common,
      displayName: 'synthesized',
      testMatch: ['<rootDir>/test/contract/**/*.test.ts', '<rootDir>/test/synthesized/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '/list-options/'],
      globalSetup: '<rootDir>/test/synthesized/global-setup.ts',
      globalTeardown: '<rootDir>/test/synthesized/global-teardown.ts',
      setupFiles: ['<rootDir>/test/support/one-realm.ts', '<rootDir>/test/synthesized/setup.ts'],
    },
  ],
};
