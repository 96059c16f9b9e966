/**
 * `npm run test:planted-faults`: plants one fault after the other in a copy of the project, and runs there the tests
 * that must notice. Names of faults as arguments plant those alone.
 *
 * A fault is caught when its tests ran and at least one failed: not when nothing could be run. So that it is the fault
 * that fails them, the same tests pass in a copy without it, and the file compiles with it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { faults } from './faults.ts';
import { type PlantedFault, withFault } from './planted-fault.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { resolve } = createRequire(import.meta.url);

/** What a copy does without; the packages are shared. */
const leftOut = new Set(['node_modules', '.git', '.data', 'cdk.out', 'coverage', 'dist']);

/** Milliseconds after which tests are stopped: a fault may make them wait for ever. */
const longestRun = 300_000;

/** What jest says of a run, as far as it matters here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Works in a copy of the project, and removes it. */
async function inCopy<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'planted-fault-'));
  try {
    cpSync(root, folder, {
      recursive: true,
      filter: (source) =>
        !relative(root, source)
          .split(sep)
          .some((part) => leftOut.has(part)),
    });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program to its end. @returns its exit code, and all that it printed. */
async function run(folder: string, ...command: string[]): Promise<{ code: number | null; printed: string }> {
  const child = spawn(process.execPath, command, { cwd: folder, timeout: longestRun });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, printed };
}

/** Runs tests, one file after the other. @throws Error when jest could not run them at all. */
async function runTests(folder: string, { caughtBy, named }: PlantedFault): Promise<Report> {
  const file = join(folder, 'planted-fault-report.json');
  const { printed } = await run(
    folder,
    resolve('jest/bin/jest'),
    ...['--maxWorkers=1', '--forceExit', '--json', `--outputFile=${file}`],
    ...(named === undefined ? [] : ['--testNamePattern', named]),
    ...['--runTestsByPath', ...caughtBy],
  );
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    throw new Error(`jest gave no report:\n${printed.slice(-2_000)}`);
  }
}

/** @throws Error when the compiler refuses a file: then no test is needed to notice. */
async function compile(folder: string, file: string): Promise<void> {
  const configuration = {
    extends: './tsconfig.json',
    // What a fault leaves unused is no mistake that matters here.
    compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
    files: [file],
    include: [],
  };
  writeFileSync(join(folder, 'tsconfig.planted-fault.json'), JSON.stringify(configuration));
  const compiler = join(resolve('typescript/package.json'), '../bin/tsc');
  const { code, printed } = await run(folder, compiler, '--project', 'tsconfig.planted-fault.json');
  if (code !== 0) throw new Error(`The compiler refuses it:\n${printed.slice(0, 2_000)}`);
}

const sound = new Set<string>();

/** @throws Error when the tests do not pass without the fault: then their failing would tell nothing. */
async function requireSound(fault: PlantedFault): Promise<void> {
  const tests = JSON.stringify([fault.caughtBy, fault.named]);
  if (sound.has(tests)) return;
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = await inCopy((folder) =>
    runTests(folder, fault),
  );
  if (numPassedTests === 0 || numFailedTests > 0 || numRuntimeErrorTestSuites > 0) {
    throw new Error(`Without the fault, ${numPassedTests} tests pass and ${numFailedTests} fail.`);
  }
  sound.add(tests);
}

/** Plants a fault. @returns the first test that notices, if one does. */
async function plant(fault: PlantedFault): Promise<string | undefined> {
  const text = withFault(root, fault);
  await requireSound(fault);
  return inCopy(async (folder) => {
    writeFileSync(join(folder, fault.file), text);
    await compile(folder, fault.file);
    const { numRuntimeErrorTestSuites, testResults } = await runTests(folder, fault);
    const failed = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .find(({ status }) => status === 'failed');
    if (!failed && numRuntimeErrorTestSuites > 0) throw new Error('The tests could not be run.');
    return failed?.fullName;
  });
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !faults.some((fault) => fault.name === name));
if (unknown.length > 0) throw new Error(`There is no fault ${unknown.join(', ')}.`);
const chosen = faults.filter(({ name }) => names.length === 0 || names.includes(name));
// All of them before the first: what cannot be planted is known at once.
for (const fault of chosen) withFault(root, fault);

let survived = 0;
for (const fault of chosen) {
  const started = performance.now();
  let outcome: string;
  try {
    const test = await plant(fault);
    outcome = test === undefined ? 'SURVIVED' : `caught    ${test}`;
  } catch (error) {
    outcome = `NOT PLANTED: ${(error as Error).message}`;
  }
  if (!outcome.startsWith('caught')) survived += 1;
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(`${fault.name.padEnd(32)} ${String(seconds).padStart(4)} s  ${outcome}`);
}
console.log(`\n${chosen.length - survived} of ${chosen.length} planted faults were caught.`);
process.exitCode = survived > 0 ? 1 : 0;
