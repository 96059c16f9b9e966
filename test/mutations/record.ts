import { readFileSync, writeFileSync } from 'node:fs';
import { mutations } from './mutations.ts';

const file = new URL('record.json', import.meta.url);

/** The test that detects a mutation: it fails, or does not end. */
export interface Detection {
  readonly file: string;
  /** The full name. */
  readonly test: string;
}

/** Returns the committed record: the test that detected each mutation last. */
export const readRecord = (): Readonly<Record<string, Detection>> =>
  JSON.parse(readFileSync(file, 'utf8')) as Record<string, Detection>;

/** Records the test that detects a mutation, or that none does. Removes mutations that do not exist any more. */
export function recordDetection(mutation: string, detection: Detection | undefined): void {
  const record = { ...readRecord(), [mutation]: detection };
  const names = mutations.map(({ name }) => name).sort();
  // An entry on each line: changes of different mutations rarely meet in one line.
  const lines = names.flatMap((name) => {
    const entry = record[name];
    return entry ? [`${JSON.stringify(name)}: ${JSON.stringify(entry)}`] : [];
  });
  writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
}
