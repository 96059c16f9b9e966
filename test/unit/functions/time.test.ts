import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is stored or compared has DynamoDB's time, and tests set the time: one file reads that of the machine. */
const readers = ['runtime/time-and-chance.ts'];

const root = join(__dirname, '../../..');

// The contract tests run in the time of the service, which can be behind that of a busy machine.
test.each([
  ['functions', 100, readers],
  ['test/contract', 30, ['service.ts']],
])('in %s, only the source of time reads the time of day', (folder, least, expected) => {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'));
  const found = files.filter((file) =>
    // An id without options has the time of the machine.
    /\bDate\.now\b|new Date\(\)|\bDate\(\)|uuidv7\(\)|newId\(\)|timeOrigin/.test(
      readFileSync(join(root, folder, file), 'utf8'),
    ),
  );
  expect(files.length).toBeGreaterThan(least);
  expect(found.sort()).toEqual(expected);
});
