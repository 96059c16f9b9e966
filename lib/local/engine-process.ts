/** Runs an engine as a child process that ends with this process, also when this process is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';

/**
 * Program of the watcher: it kills a process, or a process group by its negative id, when its own input ends, which also follows when this
 * process is killed. It is a Node.js program because Windows has no `sh`. Nothing waits for it.
 */
const watcherProgram = `
process.stdin.resume().on('close', () => {
  try {
    process.kill(Number(process.argv[1]), 'SIGKILL');
  } catch {
    // The process has ended already.
  }
});`;

/**
 * Starts a watcher that ends a child process with this process.
 * @param target what it kills: the process, or its group as a negative id.
 */
export function watch(child: ChildProcess, target = child.pid): ChildProcess {
  const watcher = spawn(process.execPath, ['--eval', watcherProgram, '--', String(target)], {
    detached: true,
    windowsHide: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    // `NODE_OPTIONS` could load modules, which take time.
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  // The pipe breaks when the watcher cannot start or is killed. The child runs without it.
  watcher.on('error', () => {});
  watcher.stdin?.on('error', () => {});
  // The id of an ended process can be reused, so the watcher must not outlive it.
  child.once('exit', () => watcher.kill('SIGKILL'));
  return watcher;
}

/**
 * Starts an engine.
 * @returns `closed`, which resolves when the engine has ended and its output is read, and rejects when the engine cannot be started; and `unref`, which
 * lets this process end although the engine runs. The watcher then ends the engine.
 */
export function spawnEngine([program = '', ...args]: readonly string[]) {
  // In a process group of its own: Ctrl-C must not stop the engine before the requests in progress have ended.
  const child = spawn(program, args, {
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // `close` follows after the last output, `exit` may not.
  const ended = once(child, 'close');
  if (child.pid === undefined) return { child, closed: ended.then(() => undefined), unref: () => {} };
  const watcher = watch(child);
  const watcherEnded = new Promise<void>((resolve) => {
    watcher.once('exit', () => resolve()).once('error', () => resolve());
  });
  const handles = [child, child.stderr as Socket, watcher, watcher.stdin as Socket];
  return {
    child,
    closed: Promise.all([ended, watcherEnded]).then(() => undefined),
    unref: () => {
      for (const handle of handles) handle.unref();
    },
  };
}
