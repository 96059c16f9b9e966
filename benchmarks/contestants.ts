/** What the benchmarks of starts and requests compare: our bundles as they ship, and peers, bundled as usual. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleFunctions, bundling } from '../lib/infrastructure/bundle.ts';
import { unusedModules, without } from '../lib/infrastructure/unused-modules.ts';

export const peersFolder = fileURLToPath(new URL('peers/', import.meta.url));

export const sdkAlone = 'the SDK alone, without unused providers';
export const sdkAsItComes = 'the SDK alone, as it comes';

/** With the names that their users know them by. */
const frameworks = { Hono: 'hono.ts', Express: 'express.ts', Fastify: 'fastify.ts', NestJS: 'nest.ts' };
export const peers = Object.keys(frameworks);

/** NestJS asks for these when it has them. */
const optional = [
  '@nestjs/microservices',
  '@nestjs/websockets',
  '@nestjs/websockets/*',
  'class-transformer',
  'class-transformer/*',
  'class-validator',
];

export interface Contestants {
  /** Bundles by the name of a peer. */
  readonly peers: ReadonlyMap<string, string>;
  /** Express, listening by itself. */
  readonly expressServer: string;
  /** Our bundle of a handler's file. */
  bundle(file: string): string;
}

/** Bundles everything. The peers are installed first, if they are not. */
export async function bundleContestants(directory: string): Promise<Contestants> {
  if (!existsSync(join(peersFolder, 'node_modules'))) {
    console.log('Installing the peers …');
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: peersFolder });
  }
  const bundlePeer = async (
    name: string,
    file: string,
    plugins = [without([])],
  ): Promise<[string, string]> => {
    const outfile = join(directory, `${name}.cjs`);
    await build({
      ...bundling,
      entryPoints: [join(peersFolder, file)],
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
    bundlePeer(sdkAsItComes, 'sdk.ts'),
    ...Object.entries(frameworks).map(([name, file]) => bundlePeer(name, file)),
  ]);
  return {
    peers: new Map(bundled),
    expressServer,
    bundle: (file) => resolve(directory, 'functions', file.replace(/\.ts$/, ''), 'index.js'),
  };
}
