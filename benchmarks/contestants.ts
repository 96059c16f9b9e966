/** Bundles what the benchmarks of starts and requests compare: the deployed bundles, and peers with the usual settings. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { CommandFailure } from '../lib/command-line/command-line.ts';
import { bundleFunctions, bundling } from '../lib/infrastructure/bundle.ts';
import { unusedModules, without } from '../lib/infrastructure/unused-modules.ts';
import { isSmallest } from './form.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

export const sdkAlone = 'the SDK alone, without unused providers';
export const sdkUnchanged = 'the SDK alone, unchanged';

/** Files of the peers by display name. */
const frameworks = { Hono: 'hono.ts', Express: 'express.ts', Fastify: 'fastify.ts', NestJS: 'nest.ts' };

/** Whether `npm ci --prefix benchmarks` has installed the peers. */
const hasPackages = existsSync(join(folder, 'node_modules'));

/** The peers that are compared. The smallest form leaves them out when their packages are not installed. */
export const peers = hasPackages ? Object.keys(frameworks) : [];

/** Optional dependencies of NestJS. */
const optional = [
  '@nestjs/microservices',
  '@nestjs/websockets',
  '@nestjs/websockets/*',
  'class-transformer',
  'class-transformer/*',
  'class-validator',
];

interface Contestants {
  /** Bundles by display name. */
  readonly peers: ReadonlyMap<string, string>;
  /** Returns the deployed bundle of a handler's file. */
  bundle(file: string): string;
}

/** @throws CommandFailure when the packages of the benchmarks are not installed, except in the smallest form. */
function checkPackages(): void {
  if (hasPackages) return;
  if (!isSmallest) {
    throw new CommandFailure(
      'The packages of the benchmarks are not installed. Run "npm ci --prefix benchmarks" first.',
    );
  }
  console.log('The packages of the benchmarks are not installed. Other frameworks are not measured.');
}

/** Bundles the functions and the peers into a directory. */
export async function bundleContestants(directory: string): Promise<Contestants> {
  checkPackages();
  const bundlePeer = async (
    name: string,
    file: string,
    plugins = [without([])],
  ): Promise<[string, string]> => {
    const outfile = join(directory, `${name}.cjs`);
    await build({
      ...bundling,
      entryPoints: [join(folder, 'peers', file)],
      outfile,
      external: optional,
      plugins,
      logLevel: 'error',
    });
    return [name, outfile];
  };
  await bundleFunctions(join(directory, 'functions'));
  const providers = unusedModules.filter(({ path }) => path.source.includes('credential-provider'));
  const bundled = await Promise.all([
    bundlePeer(sdkAlone, 'sdk.ts', [without(providers)]),
    bundlePeer(sdkUnchanged, 'sdk.ts'),
    ...Object.entries(hasPackages ? frameworks : {}).map(([name, file]) => bundlePeer(name, file)),
  ]);
  return {
    peers: new Map(bundled),
    bundle: (file) => resolve(directory, 'functions', file.replace(/\.ts$/, ''), 'index.js'),
  };
}
