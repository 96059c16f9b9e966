/**
 * The file in which an engine keeps its data: its folder, whether it can be a database, and a lock on it.
 *
 * A lock is an empty file beside the database, whose name says which process holds it:
 * `database.sqlite.lock-<process id>-<start of the process>-<random>`. The lock of a process that was killed has no
 * owner any more, and the next start removes it. Another process with the same id has another start.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The first bytes of every database of SQLite. @see https://www.sqlite.org/fileformat2.html */
const header = 'SQLite format 3\0';

/** Attempts to lock a file. Services that start at the same moment see each other, and all step back. */
const maxLockAttempts = 10;

/** An error about a path, for people. It has no `code`: a command would take `EACCES` for one about its port. */
function failure(path: string, reason: string, cause?: unknown): Error {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  return new Error(
    `The database file cannot be used: "${path}" ${reason}${code ? ` (${code})` : ''}. ` +
      'Set DATABASE_FILE to a file in a folder that can be written.',
    { cause },
  );
}

/**
 * Creates a folder, and those above it. `mkdirSync` with `recursive` does not end in `/proc`, where Linux answers ENOENT
 * for a folder whose parent is there.
 */
function createFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  try {
    mkdirSync(folder);
  } catch (error) {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    createFolder(parent);
    mkdirSync(folder);
  }
}

/** Opens a file for writing, as the engine will, and reads what a database begins with. */
function checkContent(file: string): void {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r+');
  } catch (error) {
    throw failure(file, 'cannot be written', error);
  }
  try {
    const bytes = Buffer.alloc(header.length);
    const length = readSync(descriptor, bytes);
    // SQLite makes a database of an empty file.
    if (length > 0 && bytes.toString('latin1') !== header) throw failure(file, 'is not a database');
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Creates the folder of a database file, and checks that the file can be a database, if it is there.
 * @returns the file without symbolic links: the same for all paths that lead to it.
 * @throws Error that says in one line what is wrong and what to do.
 */
export function prepareDatabaseFile(file: string): string {
  const folder = dirname(file);
  try {
    createFolder(folder);
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw failure(folder, isThere ? 'is not a folder' : 'cannot be created', error);
  }
  let found: ReturnType<typeof statSync>;
  let real: string;
  try {
    found = statSync(file, { throwIfNoEntry: false });
    real = found ? realpathSync(file) : join(realpathSync(folder), basename(file));
  } catch (error) {
    throw failure(file, 'cannot be read', error);
  }
  if (!found) return real;
  if (!found.isFile()) throw failure(file, found.isDirectory() ? 'is a folder' : 'is not a regular file');
  checkContent(file);
  return real;
}

/** Returns which start of the machine this is: another one counts the ticks anew. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
  } catch {
    return '';
  }
}

/** Returns when a process began, as text that no other process of the same id has; nothing when it has ended. */
function startOf(processId: string): string | undefined {
  if (!existsSync('/proc/self/stat')) {
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const { stdout } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', processId], { encoding: 'utf8', env });
    const [state = 'Z', ...start] = (stdout ?? '').trim().split(/\s+/).filter(Boolean);
    return state.startsWith('Z') ? undefined : start.join('').replaceAll(/\W/g, '');
  }
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, 'utf8');
    // The name before can have spaces and brackets. The state is field 3, the start in ticks since the boot field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A process that was killed is there until its parent has noticed.
    if (/[ZX]/.test(fields[0] ?? '')) return undefined;
    return `${fields[19]}x${bootId()}`;
  } catch {
    return undefined;
  }
}

/**
 * Removes locks whose process has ended.
 * @returns the ids of the processes that hold the others.
 */
function findOwners(file: string, own: string): string[] {
  const prefix = `${basename(file)}.lock-`;
  const owners: string[] = [];
  for (const name of readdirSync(dirname(file))) {
    const lock = join(dirname(file), name);
    if (!name.startsWith(prefix) || lock === own) continue;
    const [id = '', start = ''] = name.slice(prefix.length).split('-');
    if (startOf(id) === start) owners.push(id);
    else rmSync(lock, { force: true });
  }
  return owners;
}

/**
 * Locks a database file for this process: two engines on one file do not know of each other's streams.
 * @param file as `prepareDatabaseFile` gives it.
 * @returns what releases the lock.
 * @throws Error that names the file and the process that uses it, or says that its folder cannot be written.
 */
export async function lockDatabaseFile(file: string): Promise<() => void> {
  const own = `${file}.lock-${process.pid}-${startOf(String(process.pid))}-${randomBytes(4).toString('hex')}`;
  const release = (): void => rmSync(own, { force: true });
  for (let attempt = 1; ; attempt += 1) {
    try {
      closeSync(openSync(own, 'wx'));
    } catch (error) {
      throw failure(dirname(file), 'cannot be written', error);
    }
    const [owner] = findOwners(file, own);
    if (owner === undefined) return release;
    release();
    if (attempt === maxLockAttempts) {
      throw new Error(
        `The database file "${file}" is in use by process ${owner}. Stop that service, or set DATABASE_FILE to another file.`,
      );
    }
    await delay(randomInt(10, 100));
  }
}
