/** Bundles what the benchmarks of starts and requests compare: the deployed bundles, and peers with the usual settings. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleFunctions, bundling } from '../lib/infrastructure/bundle.ts';
import { unusedModules, without } from '../lib/infrastructure/unused-modules.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Where `npm ci --prefix benchmarks` installs the peers and their tools. */
export const packagesFolder = join(folder, 'node_modules');

export const sdkAlone = 'the SDK alone, without unused providers';
export const sdkUnchanged = 'the SDK alone, unchanged';

/** Files of the peers by display name. */
const frameworks = { Hono: 'hono.ts', Express: 'express.ts', Fastify: 'fastify.ts', NestJS: 'nest.ts' };
export const peers = Object.keys(frameworks);

/** Optional dependencies of NestJS. */
const optional = [
  '@nestjs/microservices',
  '@nestjs/websockets',
  '@nestjs/websockets/*',
  'class-transformer',
  'class-transformer/*',
  'class-validator',
];

export interface Contestants {
  /** Bundles by display name. */
  readonly peers: ReadonlyMap<string, string>;
  /** Bundle of an Express server that listens by itself. */
  readonly expressServer: string;
  /** Returns the deployed bundle of a handler's file. */
  bundle(file: string): string;
}

/** Ends the process with one line when the packages of the benchmarks are not installed. */
function requirePackages(): void {
  if (existsSync(packagesFolder)) return;
  console.error('The packages of the benchmarks are not installed. Run "npm ci --prefix benchmarks" first.');
  process.exit(1);
}

/** Bundles the functions and the peers into a directory. */
export async function bundleContestants(directory: string): Promise<Contestants> {
  requirePackages();
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
  const [, expressServer] = await bundlePeer('express-server', 'express-server.ts');
  const providers = unusedModules.filter(({ path }) => path.source.includes('credential-provider'));
  const bundled = await Promise.all([
    bundlePeer(sdkAlone, 'sdk.ts', [without(providers)]),
    bundlePeer(sdkUnchanged, 'sdk.ts'),
    ...Object.entries(frameworks).map(([name, file]) => bundlePeer(name, file)),
  ]);
  return {
    peers: new Map(bundled),
    expressServer,
    bundle: (file) => resolve(directory, 'functions', file.replace(/\.ts$/, ''), 'index.js'),
  };
}
