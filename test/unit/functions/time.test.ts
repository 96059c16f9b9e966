import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is stored or compared has DynamoDB's time, and tests set the time: one file reads that of the machine. */
const readers = ['runtime/time-and-chance.ts'];

const functions = join(__dirname, '../../../functions');

test('only the source of time and chance reads the time of day', () => {
  const files = readdirSync(functions, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'));
  const found = files.filter((file) =>
    // An id without options has the time of the machine.
    /\bDate\.now\b|new Date\(\)|\bDate\(\)|uuidv7\(\)|timeOrigin/.test(
      readFileSync(join(functions, file), 'utf8'),
    ),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(found.sort()).toEqual(readers);
});
