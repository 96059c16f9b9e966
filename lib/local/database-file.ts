/**
 * Prepares, checks and locks the database file of an engine.
 *
 * A lock is a file beside the database. Its name identifies the process that holds it:
 * `database.sqlite.lock-<process id>-<start time of the process>-<random>`. The next start removes the lock of a process
 * that was killed. The start time distinguishes processes whose id is reused. The content of the file is the endpoint of
 * the engine, for other commands that use the data.
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
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The first bytes of every SQLite database. @see https://www.sqlite.org/fileformat2.html */
const header = 'SQLite format 3\0';

/** Attempts to lock a file. Services that start at the same moment see each other's locks and all retry. */
const maxLockAttempts = 10;

/** Returns an error about a path. It has no `code`, because a command would attribute `EACCES` to its port. */
function failure(path: string, reason: string, cause?: unknown): Error {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  return new Error(
    `The database file cannot be used: "${path}" ${reason}${code ? ` (${code})` : ''}. ` +
      'Set DATABASE_FILE to a file in a writable folder.',
    { cause },
  );
}

/**
 * Creates a folder and its parents. `mkdirSync` with `recursive` loops forever in `/proc`, where Linux returns ENOENT
 * although the parent exists.
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
    // SQLite accepts an empty file as an empty database.
    if (length > 0 && bytes.toString('latin1') !== header) throw failure(file, 'is not a database');
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Creates the folder of a database file, and checks the file when it exists.
 * @returns the path without symbolic links, which is the same for all paths of the file.
 * @throws Error that says in one line what is wrong and what to do.
 */
export function prepareDatabaseFile(file: string): string {
  const folder = dirname(file);
  try {
    createFolder(folder);
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw failure(folder, exists ? 'is not a folder' : 'cannot be created', error);
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

/** Returns the boot id of the machine. Start times of processes count from the boot. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
  } catch {
    return '';
  }
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function startTimeOf(processId: string): string | undefined {
  if (!existsSync('/proc/self/stat')) {
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    const options = { encoding: 'utf8', env, windowsHide: true } as const;
    const { stdout, error } = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', processId], options);
    // Windows has no `ps`, and no start time then distinguishes the processes.
    if (error) return isRunning(Number(processId)) ? 'unknown' : undefined;
    const [state = 'Z', ...start] = (stdout ?? '').trim().split(/\s+/).filter(Boolean);
    return state.startsWith('Z') ? undefined : start.join('').replaceAll(/\W/g, '');
  }
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, 'utf8');
    // The process name can contain spaces and brackets. Field 3 is the state, field 22 the start time in ticks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A killed process remains as a zombie until its parent has waited for it.
    if (/[ZX]/.test(fields[0] ?? '')) return undefined;
    return `${fields[19]}x${bootId()}`;
  } catch {
    return undefined;
  }
}

/**
 * Removes the locks of processes that have ended.
 * @param own lock to leave out.
 * @returns the processes that hold the other locks.
 */
function findOwners(file: string, own?: string) {
  const prefix = `${basename(file)}.lock-`;
  const owners: { processId: string; lock: string }[] = [];
  for (const name of readdirSync(dirname(file))) {
    const lock = join(dirname(file), name);
    if (!name.startsWith(prefix) || lock === own) continue;
    const [processId = '', start = ''] = name.slice(prefix.length).split('-');
    if (startTimeOf(processId) === start) owners.push({ processId, lock });
    else rmSync(lock, { force: true });
  }
  return owners;
}

export function endpointOfOwner(file: string): string | undefined {
  for (const { lock } of findOwners(file)) {
    try {
      const endpoint = readFileSync(lock, 'utf8');
      if (endpoint) return endpoint;
    } catch {
      // The owner has released the lock meanwhile.
    }
  }
  return undefined;
}

/**
 * Locks a database file for this process. Two engines on one file would not see each other's writes.
 * @param file path from `prepareDatabaseFile`.
 * @returns `publish`, which tells other processes the endpoint of the engine, and `release`.
 * @throws Error that names the file and the process that uses it, or an unwritable folder.
 */
export async function lockDatabaseFile(file: string) {
  const own = `${file}.lock-${process.pid}-${startTimeOf(String(process.pid))}-${randomBytes(4).toString('hex')}`;
  const release = (): void => rmSync(own, { force: true });
  for (let attempt = 1; ; attempt += 1) {
    try {
      closeSync(openSync(own, 'wx'));
    } catch (error) {
      throw failure(dirname(file), 'cannot be written', error);
    }
    const [owner] = findOwners(file, own);
    if (!owner) return { publish: (endpoint: string) => writeFileSync(own, endpoint), release };
    release();
    if (attempt === maxLockAttempts) {
      throw new Error(
        `The database file "${file}" is in use by process ${owner.processId}. Stop that service, or set DATABASE_FILE to another file.`,
      );
    }
    await delay(randomInt(10, 100));
  }
}
