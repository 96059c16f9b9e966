import { readFileSync, writeFileSync } from 'node:fs';
import { mutations } from './mutations.ts';

const file = new URL('record.json', import.meta.url);

/** Returns the committed record: the name of each mutation, and the first test that failed when it was detected last. */
export const readRecord = (): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;

/** Records the test that detects a mutation, or that none does. Removes mutations that do not exist any more. */
export function recordDetection(mutation: string, test: string | undefined): void {
  const record = { ...readRecord(), [mutation]: test };
  const names = mutations.map(({ name }) => name).sort();
  writeFileSync(
    file,
    `${JSON.stringify(Object.fromEntries(names.map((name) => [name, record[name]])), null, 2)}\n`,
  );
}
