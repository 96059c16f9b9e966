/** Copies of data files: a service on a copy begins each time with the same data. */
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { endpointOfOwner } from './database-file.ts';

interface DatabaseCopy {
  readonly databaseFile: string;
  remove(): void;
}

/**
 * Copies a data file, with the files beside it that belong to it: SQLite's log, or the folder of DynamoDB Local.
 * @throws Error when there is no such file, or a service uses it: its copy would lack what is not written yet.
 */
export function copyDatabase(file: string): DatabaseCopy {
  const original = resolve(file);
  const [folder, name] = [dirname(original), basename(original)];
  const parts = existsSync(folder)
    ? readdirSync(folder).filter((one) => one.startsWith(name) && !one.includes('.lock-'))
    : [];
  if (!parts.includes(name) && !parts.includes(`${name}.dynamodb-local`)) {
    throw new Error(`There is no data file "${original}". "npm start -- --database-file <path>" makes one.`);
  }
  if (endpointOfOwner(original)) {
    throw new Error(`A service uses the data file "${original}". Stop it first.`);
  }
  const copy = mkdtempSync(join(tmpdir(), 'project-management-'));
  for (const part of parts) cpSync(join(folder, part), join(copy, part), { recursive: true });
  return {
    databaseFile: join(copy, name),
    remove: () => rmSync(copy, { recursive: true, force: true }),
  };
}
