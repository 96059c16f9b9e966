import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface StartedService {
  readonly url: string;
  readonly process: ChildProcess;
  /** All that it printed, so far. */
  output(): string;
  /** Waits until the process has ended. */
  ended(): Promise<number | null>;
}

/** Processes that have not ended yet. */
const running = new Set<ChildProcess>();

/** Kills what a test that failed has left, with all its process group. The engine ends with its service. */
export async function killLeftovers(): Promise<void> {
  const left = [...running];
  await Promise.all(
    left.map(async (child) => {
      const exit = once(child, 'close');
      process.kill(-(child.pid ?? 0), 'SIGKILL');
      await exit;
    }),
  );
}

/** What `npm start`, or another command that serves, runs, in a process group of its own. */
export function spawnStart(
  environment: Record<string, string>,
  flags: readonly string[] = [],
  { command = 'start', node = process.execPath } = {},
) {
  const process_ = spawn(node, ['--import', 'tsx', `bin/${command}.ts`, ...flags], {
    cwd: root,
    env: { ...process.env, DYNAMODB_ENDPOINT: '', ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk;
  };
  process_.stdout.on('data', collect);
  process_.stderr.on('data', collect);
  running.add(process_);
  const exit = once(process_, 'close').finally(() => running.delete(process_));
  return {
    process: process_,
    output: () => output,
    ended: async () => {
      await exit;
      return process_.exitCode;
    },
  };
}

/** Waits until a process says where it listens. */
export async function untilItListens(started: ReturnType<typeof spawnStart>): Promise<string> {
  for (;;) {
    const url = /http:\/\/localhost:\d+/.exec(started.output())?.[0];
    if (url) return url;
    if (started.process.exitCode !== null) throw new Error(started.output());
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Starts the service in a process of its own and waits until it says where it listens. */
export async function start(environment: Record<string, string>): Promise<StartedService> {
  const started = spawnStart({ PORT: '0', ...environment });
  return { ...started, url: await untilItListens(started) };
}
