/**
 * Modules that would come along in every bundle, and that no function here can ever run.
 * Only what the module that asks for one needs to link stands in its place.
 *
 * Each must stay provably out of reach. The contract suite runs on these bundles (`npm run start:synthesized`), and a
 * test (`test/lib/infrastructure/bundle-budget.test.ts`) sees that each is still there to be replaced.
 */
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

interface UnusedModule {
  /** Of the module's file, or its name where Node.js has it. */
  readonly path: RegExp;
  /** The module that asks for it, where others may have it. */
  readonly importer?: RegExp;
  /** Why it never runs. */
  readonly because: string;
  readonly contents: string;
}

export const unusedModules: readonly UnusedModule[] = [
  {
    path: /[\\/]credential-provider-node[\\/]dist-es[\\/]index\.js$/,
    because: `Lambda hands the credentials of a function's role over in its environment: the chain of other providers
      never gets its turn (https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html).`,
    contents: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
  },
  {
    path: /[\\/]submodules[\\/]event-streams[\\/]index\.js$/,
    because: `No operation of DynamoDB streams events. And because this module is imported dynamically, esbuild must
      keep all of whatever it imports, HTTP/2 and compression among it.`,
    contents: 'export const EventStreamSerde = undefined, eventStreamSerdeProvider = undefined;',
  },
  {
    path: /[\\/]endpoint-cache[\\/]dist-es[\\/]index\.js$/,
    because: 'The client makes this cache, but discovers no endpoints.',
    contents: 'export class EndpointCache {}',
  },
  {
    path: /[\\/]checksum[\\/]sha256[\\/]Sha256Node\.js$/,
    because: 'The client has a SHA-256 of its own (`functions/shared/store/sha256.ts`).',
    contents: 'export const Sha256Node = undefined;',
  },
  {
    path: /[\\/]node-http-handler[\\/]dist-es[\\/]node-http-handler\.js$/,
    because: `The client has an HTTP client of its own (\`functions/shared/store/http-client.ts\`); what is left of this
      class takes it as it is.`,
    contents: `export const DEFAULT_REQUEST_TIMEOUT = 0;
      export class NodeHttpHandler { static create(handler) { return handler; } }`,
  },
  {
    path: /[\\/]shared-ini-file-loader[\\/]loadSharedConfigFiles\.js$/,
    because:
      'A function has no files of settings in its home; the SDK would look for two before the first call.',
    contents: `export { CONFIG_PREFIX_SEPARATOR } from './constants';
      export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });`,
  },
  {
    path: /[\\/]shared-ini-file-loader[\\/]readFile\.js$/,
    because: 'As above: what is left that asks for it only keeps files apart for tests of the SDK.',
    contents: 'export const fileIntercept = {}, filePromises = {}, readFile = undefined;',
  },
  {
    path: /[\\/]shared-ini-file-loader[\\/]getSSOTokenFromFile\.js$/,
    because: 'As above, for the tokens of somebody who signed in at a terminal.',
    contents: 'export const tokenIntercept = {}, getSSOTokenFromFile = undefined;',
  },
  {
    path: /[\\/]regionConfig[\\/]getInstanceMetadataRegion\.js$/,
    because:
      'The region stands in the environment of a function; a function has no instance whose metadata say it.',
    contents: 'export const getInstanceMetadataRegion = undefined;',
  },
  {
    path: /[\\/]util-retry[\\/]AdaptiveRetryStrategy\.js$/,
    because: 'The client tries once (`functions/shared/store/client.ts`).',
    contents: 'export const AdaptiveRetryStrategy = undefined;',
  },
  {
    path: /^node:stream\/web$/,
    importer: /[\\/]@middy[\\/]core[\\/]/,
    because: 'middy needs it for answers that are streamed; no answer is.',
    contents: 'export const ReadableStream = undefined;',
  },
];

/** Leaves modules out of a bundle. */
export const without = (modules: readonly UnusedModule[]): Plugin => ({
  name: 'without-unused-modules',
  setup: ({ onLoad, onResolve }) => {
    for (const { path: filter, importer, contents } of modules) {
      if (importer) {
        const namespace = `unused for ${importer.source}`;
        onResolve({ filter }, (asked) =>
          importer.test(asked.importer) ? { path: asked.path, namespace } : null,
        );
        onLoad({ filter, namespace }, () => ({ contents }));
      } else {
        onLoad({ filter }, ({ path }) => ({ contents, resolveDir: dirname(path) }));
      }
    }
  },
});
