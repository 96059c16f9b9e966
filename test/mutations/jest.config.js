/**
 * The settings of `npm run test:mutations`, for the test file in the variable TEST_FILE. The command adds the mutation as the global `mutation`: jest keeps
 * compiled files in memory for each configuration apart, so a mutated file is never taken for the original.
 */
import config from '../../jest.config.js';

// biome-ignore lint/style/noDefaultExport: jest takes its settings from the default export.
export default () => {
  const file = `<rootDir>/${process.env.TEST_FILE}`;
  const project = config.projects.find(({ testMatch }) =>
    testMatch.some((pattern) => file.startsWith(pattern.replace(/\*.*/, ''))),
  );
  const [[files, [, options]]] = Object.entries(project.transform);
  return {
    ...project,
    // jest reads this folder before each run. It finds modules without that.
    roots: [file.replace(/\/[^/]*$/, '')],
    testEnvironment: '<rootDir>/test/mutations/environment.mjs',
    // Otherwise jest replaces the properties of what a file made global, and the process ends when aws-cdk-lib sets one of them later.
    testEnvironmentOptions: { globalsCleanup: 'off' },
    transform: { [files]: ['<rootDir>/test/mutations/transform.mjs', options] },
    reporters: [],
  };
};
