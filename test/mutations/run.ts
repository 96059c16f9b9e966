/**
 * `npm run test:mutations`: runs tests with one mutation after the other. `transform.mjs` applies a mutation while jest loads the tests, so that no
 * file changes.
 *
 * A mutation is detected when a test fails, or does not end. To be sure that the mutation is the cause, the same test must pass without it, and all
 * mutations must compile.
 */
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { suggestion } from '#functions/http/suggestion.ts';
import { CommandFailure, wholeNumber } from '#lib/command-line/command-line.ts';
import { compileErrors } from './compile-errors.ts';
import { Detector } from './detect.ts';
import { applyMutation, type Mutation } from './mutation.ts';
import { mutations } from './mutations.ts';
import { readRecord, recordDetection } from './record.ts';
import { TestProcess } from './test-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

class MutationRun {
  readonly #queue: Mutation[];
  readonly #maxCpuSeconds: number;
  readonly #record = readRecord();
  readonly #processes: TestProcess[] = [];
  detected = 0;
  undetected = 0;
  readonly leftOut: string[] = [];

  constructor(chosen: readonly Mutation[], maxCpuSeconds: number) {
    // Mutations that one test file detects run one after the other: their process then knows which of its tests pass without a mutation.
    this.#queue = chosen.toSorted((one, other) =>
      this.#testFileOf(one).localeCompare(this.#testFileOf(other)),
    );
    this.#maxCpuSeconds = maxCpuSeconds;
  }

  #testFileOf({ name }: Mutation): string {
    return this.#record[name]?.file ?? '';
  }

  async run(jobs: number): Promise<void> {
    await Promise.all(Array.from({ length: jobs }, () => this.#runMutations()));
  }

  async #runMutations(): Promise<void> {
    const process = new TestProcess();
    this.#processes.push(process);
    const detector = new Detector(root, process);
    for (let next = this.#queue.shift(); next; next = this.#queue.shift())
      await this.#runMutation(next, detector);
    process.stop();
  }

  async #runMutation(mutation: Mutation, detector: Detector): Promise<void> {
    const cpuSeconds = this.#processes.reduce((sum, process) => sum + process.cpuSeconds, 0);
    if (cpuSeconds >= this.#maxCpuSeconds) {
      this.leftOut.push(mutation.name);
      return;
    }
    const started = performance.now();
    const outcome = await detector
      .detect(mutation, this.#record[mutation.name])
      .catch((error: Error) => error);
    const seconds = `${Math.round((performance.now() - started) / 1_000)} s`;
    const detection = outcome instanceof Error ? undefined : outcome;
    if (detection) this.detected += 1;
    else this.undetected += 1;
    recordDetection(mutation.name, detection);
    const failure = outcome === undefined ? 'SURVIVED' : `NOT RUN   ${String(outcome)}`;
    const what = detection ? `detected  ${detection.file}: ${detection.test}` : failure;
    console.log(`${mutation.name.padEnd(40)} ${seconds.padStart(5)}  ${what}`);
  }
}

function changedSince(revision: string): ReadonlySet<string> {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).split('\n');
  try {
    return new Set([
      ...git('diff', '--name-only', '--relative', revision, '--'),
      ...git('ls-files', '--others', '--exclude-standard'),
    ]);
  } catch (error) {
    throw new InvalidArgumentError(
      `Git cannot compare with "${revision}": ${(error as { stderr: string }).stderr.trim()}`,
    );
  }
}

function choose(names: readonly string[], revision: string | undefined): readonly Mutation[] {
  const known = mutations.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`There is no mutation "${unknown}". ${suggestion(unknown, known)}`);
  const changed = revision === undefined ? undefined : changedSince(revision);
  return mutations.filter(
    ({ name, file }) => (names.length === 0 || names.includes(name)) && (!changed || changed.has(file)),
  );
}

async function requireApplicable(chosen: readonly Mutation[]): Promise<void> {
  for (const mutation of chosen) {
    try {
      applyMutation(root, mutation);
    } catch (error) {
      throw new CommandFailure((error as Error).message);
    }
  }
  const errors = await compileErrors(root, chosen);
  if (errors.length > 0) throw new CommandFailure(`Mutations do not compile:\n${errors.join('\n')}`);
}

export const command = new Command('test:mutations')
  .description('Runs tests with one mutation after the other. Each mutation must make a test fail.')
  .argument('[names...]', 'mutations to run')
  .option('--changed <revision>', 'only mutations of files that differ from a Git revision')
  .option(
    '--max-seconds <number>',
    'begin no further mutation after so many CPU seconds of the processes that run the tests',
    wholeNumber(1, 1_000_000),
    Number.POSITIVE_INFINITY,
  )
  .option('--jobs <number>', 'processes that run tests', wholeNumber(1, 64), availableParallelism())
  .action(async (names, { changed, maxSeconds, jobs }) => {
    const chosen = choose(names, changed);
    if (chosen.length > 0) await requireApplicable(chosen);
    const run = new MutationRun(chosen, maxSeconds);
    await run.run(jobs);
    const { detected, undetected, leftOut } = run;
    if (leftOut.length > 0) console.log(`\nLeft out after ${maxSeconds} CPU seconds: ${leftOut.join(', ')}`);
    console.log(`\n${detected} of ${chosen.length - leftOut.length} mutations were detected.`);
    process.exitCode = undetected > 0 ? 1 : 0;
  });
