import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '../..');
const compiler = join(root, 'node_modules/typescript/bin/tsc');

/** Compiles files of a folder, which import the client of this project. @returns the messages of the compiler. */
export async function compilerMessages(folder: string, files: readonly string[], options: object) {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    moduleDetection: 'force',
    paths: { 'project-management-client': [join(root, 'client/index.ts')] },
    ...options,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const run = promisify(execFile)(process.execPath, [compiler, '--project', folder]);
  return (await run.catch((error) => error as { stdout: string })).stdout;
}

/** Options for programs of Node.js. */
export const ofNode = {
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
  typeRoots: [join(root, 'node_modules/@types')],
};
