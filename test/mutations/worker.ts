/** A process of `npm run test:mutations`. It runs test files, one after the other, each with a mutation or without. */
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runCLI } from 'jest';
import type { Mutation } from './mutation.ts';

export interface TestRun {
  readonly testFile: string;
  readonly testNamePattern?: string | undefined;
  readonly mutation?: Mutation;
  /** Ends the run when this test has passed. Default: when all have. */
  readonly until?: string | undefined;
}

export interface TestResult {
  readonly passed: readonly string[];
  readonly failedTest?: string | undefined;
  /** Why the tests did not run. */
  readonly error?: string | undefined;
  /** Whether the tests did not end in time. */
  readonly hasTimedOut?: boolean;
  /** The test that began last. */
  readonly startedTest?: string | undefined;
  /** CPU seconds of the process since its last result. */
  readonly cpuSeconds: number;
  /** Whether the process can run other tests. */
  readonly isReusable: boolean;
}

/** Bytes. jest keeps the code that it loads with a mutation in memory: 10 to 20 MB. */
const maxMemory = 1_500_000_000;

/** What tests must close. Further resources belong to the process itself: its output and the channel to its parent. */
const closed = ['Timeout', 'Immediate', 'TCPServerWrap', 'TCPSocketWrap', 'ProcessWrap'];

/** Returns whether the last tests have left nothing behind, which could disturb the next ones. What they close can take a moment. */
async function isClean(): Promise<boolean> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    if (!process.getActiveResourcesInfo().some((name) => closed.includes(name))) return true;
    await delay(10);
  }
  return false;
}

const configuration = fileURLToPath(new URL('jest.config.js', import.meta.url));

let usage: NodeJS.CpuUsage = { user: 0, system: 0 };

async function runTests({ testFile, testNamePattern, ...globals }: TestRun): Promise<TestResult> {
  process.env['TEST_FILE'] = testFile;
  // Without tests, jest would end the process.
  const flags = { runInBand: true, runTestsByPath: true, silent: true, passWithNoTests: true };
  const { results } = await runCLI(
    {
      $0: 'jest',
      _: [testFile],
      ...flags,
      globals: JSON.stringify(globals),
      ...(testNamePattern === undefined ? {} : { testNamePattern }),
    },
    [configuration],
  );
  const [file] = results.testResults;
  const named = (status: string): string[] =>
    file?.testResults.filter((test) => test.status === status).map(({ fullName }) => fullName) ?? [];
  const isReusable = (await isClean()) && process.memoryUsage.rss() < maxMemory;
  const { user, system } = process.cpuUsage(usage);
  usage = process.cpuUsage();
  return {
    passed: named('passed'),
    failedTest: named('failed')[0],
    error: file?.testExecError?.message,
    cpuSeconds: (user + system) / 1_000_000,
    isReusable,
  };
}

process.on('disconnect', () => process.exit());
process.on('message', (run: TestRun) => {
  void runTests(run).then((result) => process.send?.(result));
});
