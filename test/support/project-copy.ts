import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';

/** Folders that are not copied. The packages are shared. */
const excluded = new Set(['node_modules', '.git', '.data', 'cdk.out', 'coverage', 'dist']);

/**
 * Runs `work` in a copy of the project in the folder `root`, and removes the copy.
 * @param names the folders and files that are copied. Default: all.
 */
export async function inCopy<Result>(
  root: string,
  work: (folder: string) => Promise<Result>,
  names: readonly string[] = ['.'],
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'copy-'));
  try {
    for (const name of names) {
      cpSync(join(root, name), join(folder, name), {
        recursive: true,
        filter: (source) =>
          !relative(root, source)
            .split(sep)
            .some((part) => excluded.has(part)),
      });
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
