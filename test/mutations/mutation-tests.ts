import type { Mutation } from './mutation.ts';
import type { TestProcess } from './test-process.ts';
import type { TestResult, TestRun } from './worker.ts';

/** Milliseconds that tests have without a mutation, and with one: this, and five times what they need without. */
const maxSoundMs = 900_000;
const minRunMs = 30_000;

/** What detected a mutation when no test failed in time. */
export const endlessTests = '(the tests do not end)';

interface SoundRun {
  readonly passed: ReadonlySet<string>;
  readonly durationMs: number;
}

/** The tests that detect a group of mutations. */
export class MutationTests {
  readonly #tests: Pick<Mutation, 'detectedBy' | 'testNamePattern'>;
  readonly #process: TestProcess;
  /** The tests that detected the mutations last, if all are known. */
  readonly #expected: readonly string[] | undefined;
  readonly #soundRuns = new Map<readonly string[] | undefined, Promise<SoundRun>>();

  constructor(
    group: readonly [Mutation, ...Mutation[]],
    record: Readonly<Record<string, string>>,
    process: TestProcess,
  ) {
    [this.#tests] = group;
    this.#process = process;
    const tests = group.map(({ name }) => record[name]);
    const areKnown = tests.every((test) => test !== undefined && test !== endlessTests);
    this.#expected = areKnown ? (tests as string[]) : undefined;
  }

  /** Runs one file after the other until a test fails. */
  async #run(maxMs: number, options: Pick<TestRun, 'mutation' | 'until'>): Promise<TestResult> {
    const { detectedBy, testNamePattern } = this.#tests;
    const passed: string[] = [];
    let result: TestResult | undefined;
    for (const testFile of detectedBy) {
      result = await this.#process.run({ testFile, testNamePattern, ...options }, maxMs);
      passed.push(...result.passed);
      if (result.failedTest !== undefined || result.error !== undefined || result.hasTimedOut) break;
    }
    return { ...(result as TestResult), passed };
  }

  /** @throws Error when the tests do not pass without a mutation: then their failure would prove nothing. */
  async #runWithout(until: readonly string[] | undefined): Promise<SoundRun> {
    const started = performance.now();
    const { passed, failedTest, error, hasTimedOut } = await this.#run(maxSoundMs, { until });
    if (hasTimedOut) throw new Error('Without the mutation, the tests do not end.');
    if (failedTest !== undefined) throw new Error(`Without the mutation, a test fails: ${failedTest}`);
    if (error !== undefined || passed.length === 0) throw new Error(`The tests do not run. ${error ?? ''}`);
    return { passed: new Set(passed), durationMs: performance.now() - started };
  }

  /**
   * Returns the first test that fails with a mutation, or that the tests do not end. Returns undefined when all pass.
   *
   * First, the tests run without the mutation, at most once for all mutations of the group. This run ends with the tests that detected the
   * mutations last. Only when this does not suffice, all of them run.
   */
  async detect(mutation: Mutation): Promise<string | undefined> {
    for (const until of new Set([this.#expected, undefined])) {
      const sound = this.#soundRuns.get(until) ?? this.#runWithout(until);
      this.#soundRuns.set(until, sound);
      const { passed, durationMs } = await sound;
      const result = await this.#run(minRunMs + 5 * durationMs, { mutation });
      if (result.hasTimedOut) {
        if (until) continue;
        return endlessTests;
      }
      if (result.error !== undefined && result.failedTest === undefined)
        throw new Error(`The tests do not run. ${result.error}`);
      if (result.failedTest === undefined || passed.has(result.failedTest)) return result.failedTest;
    }
    throw new Error('Without the mutation, the test that fails does not run.');
  }
}
