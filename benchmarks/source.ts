/** What the figures of a page are of: a command and a commit. */
import { spawnSync } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isSmallest } from './form.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Where benchmarks write. Changes there do not change what is measured. */
const writtenFolder = 'benchmarks/results';

/** The code and the command that were measured. */
interface Source {
  /** The abbreviated hash of the commit. */
  readonly commit: string;
  /** Whether files differed from the commit. */
  readonly hasChanges: boolean;
  /** The day of the measurement, for example 2026-11-24. */
  readonly date: string;
  /** The arguments of `npm run bench`. */
  readonly args: readonly string[];
}

/** Returns the name of the code that was measured. */
const commitOf = ({ commit, hasChanges }: Source): string =>
  hasChanges ? `${commit} with uncommitted changes` : commit;

/** Returns the first line of a page. */
export function sourceLine(measured: Source): string {
  // The path of a folder says nothing on another machine.
  const shown = measured.args.map((arg) => (isAbsolute(arg) ? '<folder>' : arg));
  return `Written by \`${['npm run bench --', ...shown].join(' ')}\` at commit \`${commitOf(measured)}\` on ${measured.date}.`;
}

/** Returns the output of a git command, or undefined when it fails. */
function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function readSource(): Source | undefined {
  const commit = git('rev-parse', '--short', 'HEAD');
  const changes = git('status', '--porcelain', '--', '.', `:(exclude)${writtenFolder}`);
  if (commit === undefined || changes === undefined) return undefined;
  const date = new Date().toISOString().slice(0, 10);
  return { commit, hasChanges: changes !== '', date, args: process.argv.slice(3) };
}

/** The source of this run, read before the measurement. Undefined in the smallest form, and outside of a git checkout. */
export const source = isSmallest ? undefined : readSource();
