/** Command lines of the tools in `node_modules`. `npx` takes a second, and Windows cannot start it without a shell. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const { resolve } = createRequire(import.meta.url);

const programs = {
  jest: ['jest', 'bin/jest.js'],
  tsc: ['typescript', 'bin/tsc'],
  biome: ['@biomejs/biome', 'bin/biome'],
  cdk: ['aws-cdk', 'bin/cdk'],
  tsx: ['tsx', 'dist/cli.mjs'],
} as const;

export function tool(
  name: keyof typeof programs,
  ...args: readonly string[]
): [program: string, ...args: string[]] {
  const [packageName, file] = programs[name];
  return [process.execPath, join(dirname(resolve(`${packageName}/package.json`)), file), ...args];
}

/**
 * Returns the command line of npm. npm tells its scripts where it is. The fallback is for a program that npm did not start; Windows
 * cannot start it without a shell.
 */
export function npm(...args: readonly string[]): [program: string, ...args: string[]] {
  const path = process.env['npm_execpath'] ?? '';
  return /npm-cli\.[cm]?js$/.test(path) ? [process.execPath, path, ...args] : ['npm', ...args];
}
