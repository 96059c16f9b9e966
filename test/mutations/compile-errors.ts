import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inCopy } from '../support/project-copy.ts';
import { applyMutation, type Mutation } from './mutation.ts';

/** What mutated files import, and the settings of the compiler. Other tests create files in `test` meanwhile. */
const copied = ['client', 'examples', 'functions', 'lib', 'package.json', 'tsconfig.json'];

/**
 * Returns the errors that the compiler reports for mutations, one line each, with the name of the mutation in that of the file. One run checks
 * all of them: each mutated file is beside the original, so its imports lead to the same files.
 * @param root the folder of the project.
 */
export function compileErrors(root: string, mutations: readonly Mutation[]): Promise<string[]> {
  const compile = async (folder: string): Promise<string[]> => {
    const files = mutations.map((mutation) => {
      const file = mutation.file.replace(/\.ts$/, `.${mutation.name}.ts`);
      writeFileSync(join(folder, file), applyMutation(root, mutation));
      return file;
    });
    // A mutation may leave declarations unused.
    const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false };
    const configuration = { extends: './tsconfig.json', compilerOptions, files, include: [] };
    const project = join(folder, 'tsconfig.mutations.json');
    writeFileSync(project, JSON.stringify(configuration));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const command = [compiler, '--pretty', 'false', '--project', project];
    try {
      await promisify(execFile)(process.execPath, command, { cwd: folder });
      return [];
    } catch (error) {
      // Further lines of an error are indented.
      const lines = String((error as { stdout?: string }).stdout ?? '').match(/^\S.*$/gm);
      if (!lines) throw error;
      return lines;
    }
  };
  return inCopy(root, compile, copied);
}
