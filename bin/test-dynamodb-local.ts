/**
 * `npm run test:dynamodb-local`: runs the tests that use the database on DynamoDB Local instead of the embedded engine.
 * Arguments replace the default tests. The 500 sequences of `test/properties` take 15 minutes there.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { inMemory, startEngine } from '../lib/local/dynamodb-engine.ts';
import { dynamoDbLocal } from '../lib/local/engine-programs.ts';

/** Returns the unit tests of a folder that start a database. */
const testsOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(folder, file))
    .filter((file) => /\bstartTest(Store|Service)\b/.test(readFileSync(file, 'utf8')));

if (!dynamoDbLocal()) {
  console.log('Skipped: DynamoDB Local needs Java 17 or later, which is not installed. No tests ran.');
} else {
  const engine = await startEngine(inMemory, [dynamoDbLocal]);
  const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
  const tests = ['test/contract', ...testsOf('test/unit/functions')];
  const chosen = process.argv.length > 2 ? process.argv.slice(2) : tests;
  const run = spawn(process.execPath, [jest, '--maxWorkers=2', ...chosen], {
    stdio: 'inherit',
    env: { ...process.env, DYNAMODB_ENDPOINT: engine.endpoint },
  });
  const [code] = (await once(run, 'exit')) as [number | null];
  await engine.stop();
  process.exitCode = code ?? 1;
}
