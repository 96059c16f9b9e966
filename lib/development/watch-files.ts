import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds in which several files can be saved at once: a formatter, or a change of branch, does so. */
const pause = 30;

/** All folders in these, and themselves. */
const foldersIn = (roots: readonly string[]): string[] =>
  roots.flatMap((root) => [
    root,
    ...readdirSync(root, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name)),
  ]);

/**
 * Watches source files.
 * @param roots folders, with all that are in them.
 * @param onSave is told which files were saved, created or removed.
 * @returns what ends it.
 */
export function watchFiles(roots: readonly string[], onSave: (files: readonly string[]) => void): () => void {
  // Each folder is watched by itself: on Linux, Node.js 20 loses files that are saved by renaming when it is
  // asked to watch recursively.
  const watchers = new Map<string, FSWatcher>();
  const saved = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const tell = (): void => {
    try {
      watchAll();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // A folder went away while we looked: a change of branch is under way.
      timer = setTimeout(tell, pause);
      return;
    }
    const files = [...saved];
    saved.clear();
    if (files.length > 0) onSave(files);
  };
  const notice = (folder: string, name: string | null): void => {
    if (name && /\.(?:ts|json)$/.test(name)) saved.add(join(folder, name));
    clearTimeout(timer);
    timer = setTimeout(tell, pause);
  };
  const forget = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  function watchAll(): void {
    const folders = foldersIn(roots);
    for (const folder of watchers.keys()) if (!folders.includes(folder)) forget(folder);
    for (const folder of folders) {
      if (watchers.has(folder)) continue;
      const watcher = watch(folder, (_, name) => notice(folder, name));
      // A folder that is removed.
      watcher.on('error', () => forget(folder));
      watchers.set(folder, watcher);
    }
  }
  watchAll();
  return () => {
    clearTimeout(timer);
    for (const folder of [...watchers.keys()]) forget(folder);
  };
}
