/** `npm run test:watch`: runs the tests of what was saved, by folder. Handlers are loaded by their names, so jest's own search finds no test for them. */
import { existsSync, watch } from 'node:fs';
import { dirname, sep } from 'node:path';
import { tool } from '../lib/command-line/programs.ts';
import { runProgram } from '../lib/command-line/run-program.ts';

/** Folders whose files are watched. */
const watched = ['functions', 'lib', 'client', 'test', 'tools'] as const;

/** Milliseconds in which several saved files are taken together. */
const collectMs = 300;

const isCode = (path: string): boolean => /\.(?:[cm]?[jt]s|json|css)$/.test(path);

/** Returns the nearest unit tests: the file or the folder of the file's own folder, or of one above. */
function unitTestsOf(path: string, exists: (path: string) => boolean): string {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const tests = [`test/unit/${folder}.test.ts`, `test/unit/${folder}/`].find(exists);
    if (tests) return tests;
  }
  return 'test/unit/';
}

/**
 * Returns the patterns of the tests to run when a file was saved: the file itself if it is a test, otherwise the unit tests of its folder, and the
 * contract tests for everything that responds to requests.
 * @param path relative to the project, with "/".
 */
export function testsOf(path: string, exists: (path: string) => boolean = existsSync): string[] {
  if (!isCode(path)) return [];
  if (path.endsWith('.test.ts')) return [path];
  if (path.startsWith('test/')) return [`${dirname(path)}/`];
  if (path.startsWith('client/')) return ['test/client/'];
  const unit = unitTestsOf(path, exists);
  if (path.startsWith('functions/')) return [unit, 'test/contract/'];
  return [unit];
}

/** Runs the tests of what is saved, until the process ends. */
export async function watchTests(): Promise<never> {
  const saved = new Set<string>();
  let wake = (): void => {};
  for (const folder of watched) {
    watch(folder, { recursive: true }, (_, name) => {
      if (name === null || name.includes('node_modules')) return;
      for (const test of testsOf(`${folder}/${name.split(sep).join('/')}`)) saved.add(test);
      wake();
    });
  }
  console.log('Save a file to run the tests of its folder. Control-C ends.');
  for (;;) {
    if (saved.size === 0)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    await new Promise((resolve) => setTimeout(resolve, collectMs));
    const patterns = [...saved];
    saved.clear();
    if (patterns.length > 0) await runProgram(tool('jest', ...patterns));
  }
}
