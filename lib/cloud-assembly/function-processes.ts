/** Runs functions in processes of their own, each with the share of a core that Lambda gives to its memory setting. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context } from 'aws-lambda';
import { environmentOf, type FunctionBundle } from './function-bundle.ts';

/** Megabytes of memory for which Lambda gives one core. @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html */
const memoryOfOneCore = 1_769;

const fileBeside = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Returns the share of one core that a function has. A Node.js function uses little more than one. */
export const cpuShare = (memoryMb: number): number => Math.min(1, memoryMb / memoryOfOneCore);

interface Reply {
  readonly result?: unknown;
  readonly error?: string;
}

/** Waits for the first message of a process. @throws Error when the process ends before. */
async function untilReady(child: ChildProcess): Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const exit = once(child, 'exit', { signal }).then((): never => {
    throw new Error('A process for --lambda-cpu has ended at its start.');
  });
  const ready = once(child, 'message', { signal });
  await Promise.race([ready, exit]).finally(() => stopped.abort());
  await Promise.allSettled([ready, exit]);
}

/** An execution environment: the process of a function, and the process that limits it. */
class FunctionProcess {
  readonly #host: ChildProcess;
  readonly #limiter: ChildProcess;

  private constructor(host: ChildProcess, limiter: ChildProcess) {
    this.#host = host;
    this.#limiter = limiter;
  }

  static async start(
    { folder, handler }: FunctionBundle,
    env: Readonly<Record<string, string>>,
    { share, isSilent }: { readonly share: number; readonly isSilent: boolean },
  ): Promise<FunctionProcess> {
    const [file = '', name = ''] = handler.split('.');
    const path = resolve(folder, `${file}.js`);
    const options = { execArgv: [] };
    const stdio = ['ignore', isSilent ? 'ignore' : 'inherit', 'inherit', 'ipc'] as const;
    const own = { ...options, env: { ...env }, stdio: [...stdio] };
    const host = fork(fileBeside('function-host.cjs'), [path, name], own);
    await untilReady(host);
    const limiter = fork(fileBeside('cpu-limiter.cjs'), [String(host.pid), String(share)], options);
    await untilReady(limiter);
    return new FunctionProcess(host, limiter);
  }

  get isRunning(): boolean {
    return this.#host.exitCode === null && this.#host.signalCode === null;
  }

  /** @throws Error when the function throws, or its process ends. */
  async call(message: object): Promise<unknown> {
    const stopped = new AbortController();
    const { signal } = stopped;
    const exit = once(this.#host, 'exit', { signal }).then((): never => {
      throw new Error('The process of the function has ended.');
    });
    const reply = once(this.#host, 'message', { signal });
    this.#host.send(message);
    try {
      const [{ result, error }] = (await Promise.race([reply, exit])) as [Reply];
      if (error !== undefined) throw new Error(error);
      return result;
    } finally {
      stopped.abort();
      await Promise.allSettled([reply, exit]);
    }
  }

  async stop(): Promise<void> {
    const gone = [this.#host, this.#limiter].map(async (child) => {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    });
    // A stopped process handles no other signal.
    this.#host.kill('SIGKILL');
    this.#limiter.kill('SIGKILL');
    await Promise.all(gone);
  }
}

interface ProcessOptions {
  /** Megabytes of memory of all functions, instead of those of the templates. */
  readonly memoryMb?: number;
  readonly isSilent?: boolean;
}

export class FunctionProcesses {
  readonly #options: ProcessOptions;
  readonly #started = new Set<FunctionProcess>();
  /** Milliseconds that the start of each process has taken. They have no counterpart in Lambda. */
  readonly startsMs: number[] = [];

  /** @throws Error where the CPU time of a process cannot be read. */
  constructor(options: ProcessOptions = {}) {
    if (!existsSync('/proc/self/schedstat')) throw new Error('--lambda-cpu needs Linux, with /proc.');
    this.#options = options;
  }

  async #start(bundle: FunctionBundle, env: Readonly<Record<string, string>>): Promise<FunctionProcess> {
    const { memoryMb = bundle.memoryMb, isSilent = false } = this.#options;
    const started = performance.now();
    const environment = await FunctionProcess.start(bundle, environmentOf(bundle, env), {
      share: cpuShare(memoryMb),
      isSilent,
    });
    this.startsMs.push(performance.now() - started);
    this.#started.add(environment);
    return environment;
  }

  /**
   * Returns a function that calls the handler of a bundle. An environment handles one event at a time: an event that finds none idle starts
   * another one.
   * @param env variables that Lambda adds to the function's own.
   */
  handler<Event, Result>(
    bundle: FunctionBundle,
    env: Readonly<Record<string, string>>,
  ): (event: Event, context: Context) => Promise<Result> {
    const idle: FunctionProcess[] = [];
    return async (event, context) => {
      const environment = idle.pop() ?? (await this.#start(bundle, env));
      const { awsRequestId, functionName } = context;
      const timeoutMs = context.getRemainingTimeInMillis();
      try {
        const message = { event, context: { awsRequestId, functionName }, timeoutMs };
        return (await environment.call(message)) as Result;
      } finally {
        if (environment.isRunning) idle.push(environment);
      }
    };
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#started].map((one) => one.stop()));
  }
}
