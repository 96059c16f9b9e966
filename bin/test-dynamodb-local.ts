/**
 * `npm run test:dynamodb-local`: runs the tests that use the database on DynamoDB Local instead of the embedded engine.
 * Arguments replace the default test folders. The 500 sequences of `test/properties` take 15 minutes there.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { inMemory, startEngine } from '../lib/local/dynamodb-engine.ts';
import { dynamoDbLocal } from '../lib/local/engine-programs.ts';

const testFolders = ['test/contract', 'test/unit/functions', 'test/unit/lib/local'];

if (!dynamoDbLocal()) {
  console.log('Skipped: DynamoDB Local needs Java 17 or later, which is not installed. No tests ran.');
} else {
  const engine = await startEngine(inMemory, [dynamoDbLocal]);
  const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
  const chosen = process.argv.length > 2 ? process.argv.slice(2) : testFolders;
  // One worker: the emulator needs the other CPU core and keeps all tables in memory.
  const tests = spawn(process.execPath, [jest, '--maxWorkers=1', ...chosen], {
    stdio: 'inherit',
    env: { ...process.env, DYNAMODB_ENDPOINT: engine.endpoint },
  });
  const [code] = (await once(tests, 'exit')) as [number | null];
  await engine.stop();
  process.exitCode = code ?? 1;
}
