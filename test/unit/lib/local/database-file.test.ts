import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointOfOwner, lockDatabaseFile, prepareDatabaseFile } from '#lib/local/database-file.ts';

/** Tests with a user who is not root. All messages of `npm start` about database files: test/cli/database-file.test.ts. */

const folder = mkdtempSync(join(tmpdir(), 'ordinary-user-'));
const readOnly = join(folder, 'read-only');
const writable = join(folder, 'writable');
const readOnlyFile = join(writable, 'read-only.sqlite');

/** User id of "nobody". root can write everywhere. */
const nobody = 65_534;
const isRoot = process.geteuid?.() === 0;

/** Runs a function as a user who is not root. */
function asOrdinaryUser<Result>(work: () => Result): Result {
  if (isRoot) process.seteuid?.(nobody);
  try {
    return work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

beforeAll(() => {
  mkdirSync(readOnly);
  mkdirSync(writable);
  writeFileSync(readOnlyFile, '');
  if (isRoot) chownSync(writable, nobody, nobody);
  chmodSync(folder, 0o755);
  chmodSync(readOnlyFile, 0o444);
  chmodSync(readOnly, 0o555);
});

afterAll(() => {
  chmodSync(readOnly, 0o755);
  rmSync(folder, { recursive: true });
});

test('names a folder that cannot be created', () => {
  const file = join(readOnly, 'new', 'database.sqlite');
  expect(() => asOrdinaryUser(() => prepareDatabaseFile(file))).toThrow(
    `"${join(readOnly, 'new')}" cannot be created (EACCES). Set DATABASE_FILE`,
  );
});

test('names a folder that is not writable', async () => {
  const file = join(readOnly, 'database.sqlite');
  await expect(asOrdinaryUser(() => lockDatabaseFile(prepareDatabaseFile(file)))).rejects.toThrow(
    `"${readOnly}" cannot be written (EACCES). Set DATABASE_FILE`,
  );
});

test('names a file that is not writable', () => {
  expect(() => asOrdinaryUser(() => prepareDatabaseFile(readOnlyFile))).toThrow(
    `"${readOnlyFile}" cannot be written (EACCES). Set DATABASE_FILE`,
  );
});

test('throws errors without a code, which a command would attribute to its port', () => {
  expect.assertions(1);
  try {
    prepareDatabaseFile(writable);
  } catch (error) {
    expect(error).not.toHaveProperty('code');
  }
});

test('creates folders, and holds a lock until it is released', async () => {
  const file = join(writable, 'a', 'b', 'database.sqlite');
  const lock = await lockDatabaseFile(prepareDatabaseFile(file));
  expect(readdirSync(join(writable, 'a', 'b'))).toEqual([
    expect.stringMatching(new RegExp(`^database\\.sqlite\\.lock-${process.pid}-`)),
  ]);
  await expect(lockDatabaseFile(file)).rejects.toThrow(`"${file}" is in use by process ${process.pid}.`);
  lock.release();
  expect(readdirSync(join(writable, 'a', 'b'))).toEqual([]);
  (await lockDatabaseFile(file)).release();
});

test('tells other commands the endpoint of the engine while the lock is held', async () => {
  const file = prepareDatabaseFile(join(writable, 'shared.sqlite'));
  expect(endpointOfOwner(file)).toBeUndefined();
  const lock = await lockDatabaseFile(file);
  expect(endpointOfOwner(file)).toBeUndefined();
  lock.publish('http://127.0.0.1:1');
  expect(endpointOfOwner(file)).toBe('http://127.0.0.1:1');
  lock.release();
  expect(endpointOfOwner(file)).toBeUndefined();
});
