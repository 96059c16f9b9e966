/**
 * `npm run test:mutations`: applies one mutation after the other, each in a copy of the project, and runs the tests that must detect
 * it.
 *
 * A mutation is detected when its tests ran and at least one failed. To be sure that the mutation is the cause, the same tests must
 * pass in a copy without it, and all mutations must compile.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suggestion } from '#functions/http/suggestion.ts';
import { CommandFailure, parseFlags, runCommand, UsageError } from '#lib/cli/command-line.ts';
import { inCopy } from '../support/project-copy.ts';
import { compileErrors } from './compile-errors.ts';
import { applyMutation, type Mutation } from './mutation.ts';
import { mutations } from './mutations.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { resolve } = createRequire(import.meta.url);

/** Milliseconds after which tests are stopped. A mutation can make them wait forever. */
const maxRunMs = 300_000;

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Runs a program. Returns its output. */
async function run(folder: string, ...command: string[]): Promise<string> {
  // Full runs: a short run leaves out operations that some mutations need, and few random runs do not reach what some of them change.
  const env = { ...process.env, TEST_RUNS: 'full', HISTORIES: '60', SEQUENCES: '30' };
  const child = spawn(process.execPath, command, { cwd: folder, timeout: maxRunMs, env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  await once(child, 'close');
  return printed;
}

/** Runs tests, one file after the other. @throws Error when jest could not run them at all. */
async function runTests(folder: string, { detectedBy, testNamePattern }: Mutation): Promise<Report> {
  const file = join(folder, 'mutation-report.json');
  const printed = await run(
    folder,
    resolve('jest/bin/jest'),
    ...['--maxWorkers=1', '--forceExit', '--json', `--outputFile=${file}`],
    ...(testNamePattern === undefined ? [] : ['--testNamePattern', testNamePattern]),
    ...['--runTestsByPath', ...detectedBy],
  );
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    throw new Error(`jest gave no report:\n${printed.slice(-2_000)}`);
  }
}

const sound = new Set<string>();

/** @throws Error when the tests do not pass without the mutation: then their failure would prove nothing. */
async function requireSound(mutation: Mutation): Promise<void> {
  const tests = JSON.stringify([mutation.detectedBy, mutation.testNamePattern]);
  if (sound.has(tests)) return;
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = await inCopy(root, (folder) =>
    runTests(folder, mutation),
  );
  if (numPassedTests === 0 || numFailedTests > 0 || numRuntimeErrorTestSuites > 0) {
    throw new Error(`Without the mutation, ${numPassedTests} tests pass and ${numFailedTests} fail.`);
  }
  sound.add(tests);
}

/** Applies a mutation. Returns the first test that fails, if one does. */
async function detect(mutation: Mutation): Promise<string | undefined> {
  const text = applyMutation(root, mutation);
  await requireSound(mutation);
  return inCopy(root, async (folder) => {
    writeFileSync(join(folder, mutation.file), text);
    const { numRuntimeErrorTestSuites, testResults } = await runTests(folder, mutation);
    const failed = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .find(({ status }) => status === 'failed');
    if (!failed && numRuntimeErrorTestSuites > 0) throw new Error('The tests could not be run.');
    return failed?.fullName;
  });
}

const help = `Applies one mutation after the other, each in a copy of the project, and runs the tests that must detect it.

  npm run test:mutations -- [<name> …]

  --help   prints this text

Names select mutations: ${mutations.map(({ name }) => name).join(', ')}.`;

function choose(names: readonly string[]): readonly Mutation[] {
  const known = mutations.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`There is no mutation "${unknown}". ${suggestion(unknown, known)}`);
  }
  return mutations.filter(({ name }) => names.length === 0 || names.includes(name));
}

await runCommand('npm run test:mutations', async () => {
  const { values, positionals } = parseFlags({
    allowPositionals: true,
    options: { help: { type: 'boolean' } },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const chosen = choose(positionals);
  // Checks all of them before the first run.
  const errors = await compileErrors(root, chosen);
  if (errors.length > 0) throw new CommandFailure(`Mutations do not compile:\n${errors.join('\n')}`);
  let survived = 0;
  for (const mutation of chosen) {
    const started = performance.now();
    let outcome: string;
    try {
      const test = await detect(mutation);
      outcome = test === undefined ? 'SURVIVED' : `detected  ${test}`;
    } catch (error) {
      outcome = `NOT APPLIED: ${(error as Error).message}`;
    }
    if (!outcome.startsWith('detected')) survived += 1;
    const seconds = Math.round((performance.now() - started) / 1_000);
    console.log(`${mutation.name.padEnd(32)} ${String(seconds).padStart(4)} s  ${outcome}`);
  }
  console.log(`\n${chosen.length - survived} of ${chosen.length} mutations were detected.`);
  return survived > 0 ? 1 : 0;
});
