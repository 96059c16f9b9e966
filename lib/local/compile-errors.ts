import { type BuildFailure, build, type Message } from 'esbuild';

const lineOf = ({ text, location }: Message): string =>
  location
    ? `${location.file}:${location.line}:${location.column + 1} does not compile: ${text}`
    : `The service does not compile: ${text}`;

/**
 * Returns one line for each file that does not compile: for wrong syntax, a missing file and a missing export. Types are
 * not checked.
 * @param root folder of the project.
 */
export async function compileErrors(root: string): Promise<string[]> {
  try {
    await build({
      absWorkingDir: root,
      // The imports of handlers on demand are patterns, so they include every file in functions/, also static ones.
      entryPoints: ['bin/start.ts'],
      loader: { '.md': 'empty' },
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      outdir: 'dist',
      write: false,
      logLevel: 'silent',
    });
    return [];
  } catch (error) {
    const { errors } = error as BuildFailure;
    if (!Array.isArray(errors)) throw error;
    const firstOfFile = new Map(errors.toReversed().map((one) => [one.location?.file, one]));
    return [...firstOfFile.values()].reverse().map(lineOf);
  }
}
