/** The contract tests again, on the synthesized stacks: a run of its own, because they are the same files. */
import { common, run } from './jest.config.js';

export default {
  ...run,
  projects: [
    {
      ...common,
      displayName: 'synthesized',
      testMatch: ['<rootDir>/test/contract/**/*.test.ts', '<rootDir>/test/synthesized/**/*.test.ts'],
      globalSetup: '<rootDir>/test/synthesized/global-setup.ts',
      globalTeardown: '<rootDir>/test/synthesized/global-teardown.ts',
      setupFiles: ['<rootDir>/test/support/one-realm.ts', '<rootDir>/test/synthesized/setup.ts'],
    },
  ],
};
