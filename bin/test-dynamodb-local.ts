/**
 * `npm run test:dynamodb-local`: the suites that talk to the engine, on AWS's own emulator instead of the
 * embedded one. Other arguments go to jest: the 500 sequences of `test/properties` take a quarter of an hour there.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dynamoDbLocal, inMemory, startEngine } from '../lib/local/engine.ts';

const suites = ['test/contract', 'test/unit/functions', 'test/unit/lib/local'];

if (!dynamoDbLocal()) {
  console.log('Skipped: DynamoDB Local needs Java 17 or later, and there is none here. 0 tests were run.');
} else {
  const engine = await startEngine(inMemory, [dynamoDbLocal]);
  const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
  const chosen = process.argv.length > 2 ? process.argv.slice(2) : suites;
  // One at a time: the emulator needs the other core, and is in memory for all of them.
  const tests = spawn(process.execPath, [jest, '--maxWorkers=1', ...chosen], {
    stdio: 'inherit',
    env: { ...process.env, DYNAMODB_ENDPOINT: engine.endpoint },
  });
  const [code] = (await once(tests, 'exit')) as [number | null];
  await engine.stop();
  process.exitCode = code ?? 1;
}
