import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { watch } from '#lib/local/engine-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Process groups that have not ended yet. */
const running = new Set<ChildProcess>();

/** Kills the process groups that a failed test left behind. The engine ends with its service. */
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

/** Spawns a program in a process group of its own, and collects its output. */
export function spawnGroup(
  program: string,
  args: readonly string[],
  { cwd = root, env = {} }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
) {
  const child = spawn(program, args, {
    cwd,
    // Continuous integration and Jest ask for colours in the environment. Tests compare plain text.
    env: { ...process.env, DYNAMODB_ENDPOINT: '', FORCE_COLOR: undefined, NO_COLOR: '1', ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // When a worker of jest is killed, no hook kills its leftovers.
  if (child.pid !== undefined) watch(child, -child.pid);
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk;
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  running.add(child);
  const exit = once(child, 'close').finally(() => running.delete(child));
  return {
    process: child,
    output: () => output,
    /** Waits until the process has ended. @returns its exit code. */
    ended: async () => {
      await exit;
      return child.exitCode;
    },
    /** Waits until the output matches. @returns what matches. @throws Error with the output when the process ends before. */
    printed: (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const look = (): void => {
          const [found] = pattern.exec(output) ?? [];
          if (found !== undefined) resolve(found);
        };
        look();
        for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
        exit.finally(() => reject(new Error(output)));
      }),
  };
}

/** Runs `npm start`, or another command that serves. */
export const spawnStart = (
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
  { command = 'start', node = process.execPath } = {},
) => spawnGroup(node, ['bin/pm-api.mjs', command, ...flags], { env });

export const untilItListens = (started: ReturnType<typeof spawnGroup>): Promise<string> =>
  started.printed(/http:\/\/localhost:\d+/);

export async function start(environment: Record<string, string>, flags: readonly string[] = []) {
  const started = spawnStart({ PORT: '0', ...environment }, flags);
  return {
    ...started,
    url: await untilItListens(started),
    /** Ends the service as Ctrl-C does. @throws Error when it fails. */
    stop: async (): Promise<void> => {
      started.process.kill('SIGINT');
      expect(await started.ended()).toBe(0);
    },
  };
}
