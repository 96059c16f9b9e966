import { spawnSync } from 'node:child_process';
import { npm } from '../command-line/programs.ts';

export const majorVersionOf = (runtime: string): string => /^nodejs(\d+)\.x$/.exec(runtime)?.[1] ?? '';

export const isCurrentVersion = (major: string): boolean => process.versions.node.split('.')[0] === major;

/**
 * Returns the path of a Node.js executable. npx downloads it from npm (45 MB) the first time and caches it.
 * @returns undefined when the version is not cached and cannot be downloaded.
 */
export function findNode(major: string): string | undefined {
  const name = `node-${process.platform}-${process.arch}@${major}`;
  const [program, ...args] = npm(
    ...['exec', '--yes', '--prefer-offline', `--package=${name}`, '--', 'node', '-p', 'process.execPath'],
  );
  const found = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return found.status === 0 ? found.stdout.trim() : undefined;
}
