/** The Node.js that functions are deployed to, on this machine. */
import { spawnSync } from 'node:child_process';

/** The Node.js of a runtime of Lambda, `nodejs24.x`. */
export const majorOf = (runtime: string): string => /^nodejs(\d+)\.x$/.exec(runtime)?.[1] ?? '';

/** Whether this process runs on it. */
export const isThisProcess = (major: string): boolean => process.versions.node.split('.')[0] === major;

/**
 * Finds its program: the packages of npm that hold one (45 MB) are fetched the first time, and kept where npx keeps
 * what it fetches.
 * @returns nothing when there is none, and none can be fetched.
 */
export function findNode(major: string): string | undefined {
  const wanted = `node-${process.platform}-${process.arch}@${major}`;
  const found = spawnSync(
    'npm',
    ['exec', '--yes', '--prefer-offline', `--package=${wanted}`, '--', 'node', '-p', 'process.execPath'],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  return found.status === 0 ? found.stdout.trim() : undefined;
}
