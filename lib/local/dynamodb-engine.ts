import type { ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endpointOfOwner, lockDatabaseFile, prepareDatabaseFile } from './database-file.ts';
import { spawnEngine } from './engine-process.ts';
import { dynamoDbLocal, type EngineProgram, engineOnPath, nativeEngine } from './engine-programs.ts';
import { unreachableByPages } from './port.ts';
import { requestText } from './request-text.ts';

export interface Engine {
  readonly name: string;
  readonly endpoint: string;
  /** Process group, when this process started the engine. */
  readonly processGroup?: number | undefined;
  /** Resolves to the reason when the engine ends unexpectedly. */
  readonly failed: Promise<Error>;
  /** Lets this process end although the engine runs, which then ends as well. */
  unref(): void;
  stop(): Promise<void>;
}

/** Database file that keeps the data in memory only. */
export const inMemory = ':memory:';

/** Deadline of the first response of an engine that has not ended. Java takes seconds to start, and a minute on a machine that is busy. */
const maxStartMs = 300_000;

const noEngine = `No database engine can run on this machine.
"npm ci" installs the embedded engine on Linux, macOS and Windows, unless optional packages are omitted
or the platform has no package. Do one of these:
  - run "npm ci" without --omit=optional;
  - install the engine yourself, so that "dynoxide" is on the PATH: https://github.com/nubo-db/dynoxide;
  - install a JDK, Java 17 or later: the service then uses DynamoDB Local, which "npm ci" installs;
  - set DYNAMODB_ENDPOINT to the address of a DynamoDB that already runs.`;

const responds = (endpoint: string): Promise<boolean> =>
  requestText(endpoint, { maxMs: 1_000 }).then(
    () => true,
    () => false,
  );

function startFailure(output: string, dataFile: string | undefined): Error {
  if (dataFile !== undefined && /not a (?:valid SQLite )?database|malformed/i.test(output)) {
    return new Error(
      `The database file "${dataFile}" is damaged or not a database. Restore it, or set DATABASE_FILE to another file.`,
    );
  }
  const [line = 'it printed nothing'] = output.split('\n').filter((one) => one.trim());
  return new Error(`The database engine stopped during its start: ${line.replace(/^error: /i, '').trim()}`);
}

async function waitForResponse(endpoint: string, process: ChildProcess): Promise<void> {
  const end = Date.now() + maxStartMs;
  while (Date.now() < end) {
    if (process.pid === undefined || process.exitCode !== null || process.signalCode !== null) return;
    if (await responds(endpoint)) return;
    await delay(10);
  }
  throw new Error(`The database engine did not respond within ${maxStartMs / 1_000} seconds.`);
}

async function run({ name, command }: EngineProgram, dataFile: string | undefined): Promise<Engine> {
  const address = await unreachableByPages();
  const endpoint = `http://${address.host}:${address.port}`;
  const { child, closed: ended, unref } = spawnEngine(command(address, dataFile));
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk}`.slice(-2_000);
  });
  let isStopping = false;
  const closed = ended.then(
    () => new Error(`The database engine ended unexpectedly. ${errors.trim()}`.trim()),
    (cause: Error) => new Error(`The database engine cannot be started: ${cause.message}.`, { cause }),
  );
  const failed = closed.then((error) => (isStopping ? new Promise<never>(() => {}) : error));
  const stop = async (): Promise<void> => {
    isStopping = true;
    child.kill('SIGTERM');
    await closed;
  };
  try {
    await Promise.race([waitForResponse(endpoint, child), closed]);
    if (child.pid === undefined) throw await closed;
    if (child.exitCode !== null || child.signalCode !== null) {
      await closed;
      throw startFailure(errors, dataFile);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { name, endpoint, processGroup: child.pid, failed, unref, stop };
}

async function runOnFile(program: EngineProgram, databaseFile: string): Promise<Engine> {
  const dataFile = prepareDatabaseFile(program.dataFile(resolve(databaseFile)));
  const lock = await lockDatabaseFile(dataFile);
  try {
    const engine = await run(program, dataFile);
    lock.publish(engine.endpoint);
    return {
      ...engine,
      stop: async () => {
        await engine.stop();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

const maxProbeMs = 5_000;

/** Returns whether the response to ListTables comes from DynamoDB: it is an error or a list. */
function isFromDynamoDb(text: string): boolean {
  try {
    const value = JSON.parse(text) as object | null;
    return typeof value === 'object' && value !== null && ('__type' in value || 'TableNames' in value);
  } catch {
    return false;
  }
}

/**
 * Checks an engine that already runs. The request has no signature; AWS rejects it with an error of DynamoDB.
 * @throws Error when nothing responds at the address, or the response is not from DynamoDB.
 */
export async function existingEngine(endpoint: string): Promise<Engine> {
  let text: string;
  try {
    text = await requestText(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'DynamoDB_20120810.ListTables',
      },
      body: '{}',
      maxMs: maxProbeMs,
    });
  } catch (cause) {
    throw new Error(`No DynamoDB responds at ${endpoint}. Start it first, or correct DYNAMODB_ENDPOINT.`, {
      cause,
    });
  }
  if (!isFromDynamoDb(text)) {
    throw new Error(`The server at ${endpoint} is not DynamoDB. Correct DYNAMODB_ENDPOINT.`);
  }
  return { name: endpoint, endpoint, failed: new Promise(() => {}), unref: () => {}, stop: async () => {} };
}

const candidates = [nativeEngine, engineOnPath, dynamoDbLocal];

/** Returns the first engine that can run on this machine. @throws Error that says what to install. */
function findProgram(finders: readonly (() => EngineProgram | undefined)[]): EngineProgram {
  for (const find of finders) {
    const program = find();
    if (program) return program;
  }
  throw new Error(noEngine);
}

/**
 * Starts the first engine that can run on this machine.
 * @param databaseFile file for the data; `:memory:` keeps the data in memory only.
 * @param finders finders of the candidates, the preferred one first.
 * @throws Error that says what to install when no engine can run, or what is wrong with the file.
 */
export async function startEngine(databaseFile: string, finders = candidates): Promise<Engine> {
  const program = findProgram(finders);
  return databaseFile === inMemory ? run(program, undefined) : runOnFile(program, databaseFile);
}

/** Connects to the engine that another process of this machine runs on a database file, or starts one. */
export async function shareEngine(databaseFile: string): Promise<Engine> {
  if (databaseFile === inMemory) return startEngine(databaseFile);
  const program = findProgram(candidates);
  const endpoint = endpointOfOwner(prepareDatabaseFile(program.dataFile(resolve(databaseFile))));
  return endpoint ? existingEngine(endpoint) : runOnFile(program, databaseFile);
}
