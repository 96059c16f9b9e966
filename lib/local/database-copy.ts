/** Copies of data files: a service on a copy begins each time with the same data. */
import { accessSync, constants, cpSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { lockDatabaseFile } from './database-file.ts';

/** Keeps services from a file. None can use one in a folder that cannot be written. */
async function lock(file: string): Promise<() => void> {
  try {
    accessSync(dirname(file), constants.W_OK);
  } catch {
    return () => {};
  }
  return (await lockDatabaseFile(file)).release;
}

/** The ends of the names of a data file, of SQLite's files beside it, and of the folder of DynamoDB Local. */
const ends = ['', '-wal', '-shm', '-journal', '.dynamodb-local'];

/**
 * Copies a data file, or the one that a symbolic link names, with the files beside it that belong to it: SQLite's log, or the folder of DynamoDB Local.
 * @throws Error when there is no such file, or a service uses it: its copy would lack what is not written yet.
 */
export async function copyDatabase(path: string) {
  const original = existsSync(path) ? realpathSync(path) : resolve(path);
  const [folder, name] = [dirname(original), basename(original)];
  const parts = (): string[] =>
    ends.map((end) => name + end).filter((part) => existsSync(join(folder, part)));
  if (!parts().some((part) => part === name || part === `${name}.dynamodb-local`)) {
    throw new Error(`There is no data file "${original}". "npm start -- --database-file <path>" makes one.`);
  }
  const release = await lock(original);
  try {
    const copy = mkdtempSync(join(tmpdir(), 'project-management-'));
    for (const part of parts()) cpSync(join(folder, part), join(copy, part), { recursive: true });
    return {
      databaseFile: join(copy, name),
      remove: () => rmSync(copy, { recursive: true, force: true }),
    };
  } finally {
    release();
  }
}
