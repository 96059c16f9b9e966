import { readConfiguration } from './configuration.ts';

// Before a test file is loaded: the contract tests read these variables when they are imported.
const unset = ['BASE_URL', 'DYNAMODB_ENDPOINT'];
for (const name of unset) delete process.env[name];
Object.assign(process.env, readConfiguration().environment);
