import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseFlags, runCommand } from '../lib/cli/command-line.ts';
import { runProgram } from '../lib/cli/run-program.ts';
import { tool } from '../lib/cli/tools.ts';
import { inMemory, startEngine } from '../lib/local/dynamodb-engine.ts';
import { dynamoDbLocal } from '../lib/local/engine-programs.ts';

/** Returns the unit tests of a folder that start a database. */
const testsOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(folder, file))
    .filter((file) => /\b(?:startTest(?:Store|Service)|useEmptyTable)\b/.test(readFileSync(file, 'utf8')));

const help = `Runs the tests that use the database on DynamoDB Local instead of the embedded engine. Needs Java 17.

  npm run test:dynamodb-local -- [<part of a path> …]

  --help   prints this text

Paths replace the default tests: the contract tests, and the unit tests that start a database. The 500
sequences of test/properties take 15 minutes there.`;

await runCommand('npm run test:dynamodb-local', async () => {
  const { values, positionals } = parseFlags({
    allowPositionals: true,
    options: { help: { type: 'boolean' } },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  if (!dynamoDbLocal()) {
    console.log('Skipped: DynamoDB Local needs Java 17 or later, which is not installed. No tests ran.');
    return 0;
  }
  const engine = await startEngine(inMemory, [dynamoDbLocal]);
  // The suites of list options make no call to DynamoDB that others do not make.
  const usual = [
    'test/contract',
    ...testsOf('test/unit/functions'),
    '--testPathIgnorePatterns=/list-options/',
  ];
  const tests = positionals.length > 0 ? positionals : usual;
  try {
    return await runProgram(tool('jest', '--maxWorkers=2', ...tests), {
      env: { ...process.env, DYNAMODB_ENDPOINT: engine.endpoint },
    });
  } finally {
    await engine.stop();
  }
});
