/** What ships: each function with all that it imports, in one file, and the files that its contract names. */
import { copyFile, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { build, type Plugin } from 'esbuild';
import { routes } from '../../functions/routes.ts';
import { files, functionFiles } from '../functions.ts';

/** The folder that holds the bundles, each in a folder of its own. */
export interface Bundles {
  readonly directory: string;
}

const sources = fileURLToPath(new URL('../../functions/', import.meta.url));

const withoutSuffix = (file: string): string => file.replace(/\.ts$/, '');

/**
 * Lambda hands the credentials of a function's role over in the environment. The SDK's chain of other providers
 * (profiles, SSO, web identity, container and instance metadata) would never get its turn, and is a third of
 * the bundle: 246 kB without it, 381 kB with it.
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
const environmentCredentialsOnly: Plugin = {
  name: 'environment-credentials-only',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]credential-provider-node[\\/]dist-(?:es|cjs)[\\/]index\.js$/ }, ({ path }) => ({
      contents: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
      resolveDir: dirname(path),
    }));
  },
};

/**
 * Bundles all functions in one call: 2.6 seconds on two cores, against half a minute with a call for each.
 * @param directory where to; what it holds is removed first.
 */
export async function bundleFunctions(directory: string): Promise<Bundles> {
  await rm(directory, { recursive: true, force: true });
  await build({
    entryPoints: functionFiles.map((file) => ({
      in: resolve(sources, file),
      out: `${withoutSuffix(file)}/index`,
    })),
    outdir: directory,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    // Node.js starts CommonJS faster than ES modules.
    format: 'cjs',
    // The packages' ES modules, because what is not used can be left out of those: 246 kB instead of 483 kB.
    mainFields: ['module', 'main'],
    plugins: [environmentCredentialsOnly],
    logLevel: 'warning',
  });
  for (const { contract, file } of routes) {
    for (const name of contract.files ?? []) {
      await copyFile(files[name] ?? name, resolve(directory, withoutSuffix(file), name));
    }
  }
  return { directory };
}

/**
 * The bundle of a function.
 * @param file the handler's file, relative to `functions/`.
 */
export const bundleOf = ({ directory }: Bundles, file: string): Code =>
  Code.fromAsset(resolve(directory, withoutSuffix(file)));
