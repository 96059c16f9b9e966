/**
 * Finds the test that detects a mutation: first the one that the record names, then all tests of the code that the mutation changes, the cheap ones
 * first. The search ends with the first test that fails, or that does not end. This test must pass without the mutation: otherwise its failure proves
 * nothing.
 */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Mutation } from './mutation.ts';
import type { Detection } from './record.ts';
import type { TestProcess } from './test-process.ts';
import type { TestResult } from './worker.ts';

/** Milliseconds that a test has with a mutation: this, and ten times what it needs without. */
const minRunMs = 30_000;

/** Milliseconds that a file has when nobody knows yet what it needs. */
const maxFileMs = 600_000;

/** The folders with tests of the code of a folder, in the order in which they are searched. */
const testFolders: readonly (readonly [code: string, tests: readonly string[]])[] = [
  ['functions/', ['test/contract', 'test/security', 'test/simulation', 'test/unit/functions']],
  ['lib/infrastructure/', ['test/infrastructure']],
  ['lib/preflight/', ['test/infrastructure']],
  ['client/', ['test/client']],
  ['', ['test/unit', 'test/security', 'test/cli', 'test/infrastructure']],
];

const filesIn = (root: string, folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join(folder, path))
    .sort();

/** Returns how many folders of a file a test file has in its path; its own name counts too: `http.test.ts` is of the folder `http`. */
function nearness(test: string, file: string): number {
  const segments = test.replace(/\.test\.ts$/, '').split('/');
  return dirname(file)
    .split('/')
    .filter((segment) => segments.includes(segment)).length;
}

/** Returns the files with tests of a file: first the unit tests of its folder, the nearest ones first, and then all others of its code. */
export function testFilesOf(root: string, file: string): string[] {
  const [, folders = []] = testFolders.find(([code]) => file.startsWith(code)) ?? [];
  const own = filesIn(root, 'test/unit')
    .filter((test) => nearness(test, file) > 1)
    .sort((one, other) => nearness(other, file) - nearness(one, file));
  return [...new Set([...own, ...folders.flatMap((folder) => filesIn(root, folder))])];
}

/** The full name of a test, which may be in a block that has been added around it. */
const patternOf = (test: string): string => `(^| )${test.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`;

/** How to run a test alone: by its name, or with those before it, on which it depends. */
type Selection = Pick<Parameters<TestProcess['run']>[0], 'testNamePattern' | 'until'>;

interface SoundTest {
  readonly selection: Selection;
  readonly durationMs: number;
}

export class Detector {
  readonly #root: string;
  readonly #process: TestProcess;
  readonly #soundTests = new Map<string, Promise<SoundTest | undefined>>();

  constructor(root: string, process: TestProcess) {
    this.#root = root;
    this.#process = process;
  }

  /** Runs a test without a mutation. @returns undefined when it does not exist. @throws Error when it fails. */
  async #findSound({ file, test }: Detection): Promise<SoundTest | undefined> {
    let failure: string | undefined;
    for (const selection of [{ testNamePattern: patternOf(test) }, { until: test }] as const) {
      const started = performance.now();
      const result = await this.#process.run({ testFile: file, ...selection }, maxFileMs);
      const isFound = result.passed.some((name) => name === test || name.endsWith(` ${test}`));
      if (isFound) return { selection, durationMs: performance.now() - started };
      failure ??= result.failedTest ?? result.error;
    }
    if (failure !== undefined) throw new Error(`Without the mutation, a test fails: ${failure}`);
    return undefined;
  }

  #sound(detection: Detection): Promise<SoundTest | undefined> {
    const key = JSON.stringify(detection);
    const found = this.#soundTests.get(key) ?? this.#findSound(detection);
    this.#soundTests.set(key, found);
    return found;
  }

  /** Runs tests with a mutation. Returns the one that fails or does not end. */
  async #run(
    testFile: string,
    mutation: Mutation,
    maxMs: number,
    selection: Selection,
  ): Promise<string | undefined> {
    const result: TestResult = await this.#process.run({ testFile, mutation, ...selection }, maxMs);
    if (result.failedTest !== undefined) return result.failedTest;
    if (result.hasTimedOut && result.startedTest !== undefined) return result.startedTest;
    if (result.error !== undefined) throw new Error(`The tests of ${testFile} do not run. ${result.error}`);
    return undefined;
  }

  async #confirm(detection: Detection, mutation: Mutation): Promise<Detection | undefined> {
    if (!existsSync(`${this.#root}/${detection.file}`)) return undefined;
    const sound = await this.#sound(detection);
    if (!sound) return undefined;
    const maxMs = minRunMs + 10 * sound.durationMs;
    const test = await this.#run(detection.file, mutation, maxMs, sound.selection);
    return test === undefined ? undefined : { file: detection.file, test };
  }

  /** Returns the test that detects a mutation; undefined when none does. @throws Error when tests do not run, or fail without the mutation too. */
  async detect(mutation: Mutation, recorded: Detection | undefined): Promise<Detection | undefined> {
    const known = recorded && (await this.#confirm(recorded, mutation));
    if (known) return known;
    for (const file of testFilesOf(this.#root, mutation.file)) {
      const test = await this.#run(file, mutation, maxFileMs, {});
      const found = test !== undefined && (await this.#confirm({ file, test }, mutation));
      if (found) return found;
    }
    return undefined;
  }
}
