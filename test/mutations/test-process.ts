import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { TestResult, TestRun } from './worker.ts';

// Full runs: a short run leaves out operations that some mutations need, and few random runs do not reach what some of them change.
const variables = { ...process.env, TEST_RUNS: 'full', HISTORIES: '60', SEQUENCES: '30' };

const hooks = new URL('module-hooks.mjs', import.meta.url).href;

/** Runs tests in a process of their own, and replaces the process when it cannot be used again. */
export class TestProcess {
  #child: ChildProcess | undefined;
  #printed = '';
  /** CPU seconds of all runs. */
  cpuSeconds = 0;

  #start(mutation: TestRun['mutation']): ChildProcess {
    const mutated = mutation && { MUTATION: JSON.stringify(mutation), NODE_OPTIONS: `--import ${hooks}` };
    const child = fork(new URL('worker.ts', import.meta.url), {
      execArgv: ['--import', 'tsx'],
      env: { ...variables, ...mutated },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    // It can end between two runs, after an error that a test left behind.
    child.once('exit', () => {
      if (this.#child === child) this.stop();
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#printed = `${this.#printed}${text}`.slice(-2_000);
    });
    return child;
  }

  /** Ends the process. The next run starts another one. */
  stop(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  /** Runs a test file until its first failing test. @param maxMs milliseconds after which the process is killed. */
  async run(run: TestRun, maxMs: number): Promise<TestResult> {
    // Programs are loaded once for a process. So their process begins and ends with the mutation.
    const needsOwnProcess = run.mutation !== undefined && run.testFile.startsWith('test/cli/');
    if (needsOwnProcess) this.stop();
    this.#child ??= this.#start(needsOwnProcess ? run.mutation : undefined);
    const child = this.#child;
    const done = new AbortController();
    const { signal } = done;
    const unusable = { passed: [], cpuSeconds: 0, isReusable: false };
    let startedTest: string | undefined;
    const completed = new Promise<TestResult>((resolve) => {
      const receive = (message: TestResult | Pick<TestResult, 'startedTest'>): void => {
        if ('passed' in message) resolve(message);
        else startedTest = message.startedTest;
      };
      child.on('message', receive);
      signal.addEventListener('abort', () => child.off('message', receive));
    });
    child.send(run);
    const result = await Promise.race<TestResult>([
      completed,
      once(child, 'exit', { signal }).then(([code, killedBy]) => ({
        ...unusable,
        error: `The process ended with ${killedBy ?? code}. ${this.#printed}`,
      })),
      // A process that is killed does not tell its CPU time. It is at most about the time that has passed.
      delay(maxMs, { ...unusable, hasTimedOut: true, cpuSeconds: maxMs / 1_000 }, { signal }),
    ])
      .catch((error: Error) => ({ ...unusable, error: error.message }))
      .finally(() => done.abort());
    this.cpuSeconds += result.cpuSeconds;
    if (!result.isReusable || needsOwnProcess) this.stop();
    return { ...result, startedTest };
  }
}
