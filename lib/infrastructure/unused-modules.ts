/**
 * Modules that every bundle would contain and that no function runs. Each is replaced by the exports that its importer
 * needs to link.
 *
 * Each module listed here must be unreachable at run time. Two tests check it: `test/infrastructure/start-synthesized.test.ts` calls each
 * operation of the bundles, and `test/infrastructure/bundle-budget.test.ts` checks that each module still exists.
 */
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

interface UnusedModule {
  readonly path: RegExp;
  readonly because: string;
  readonly contents: string;
}

export const unusedModules: readonly UnusedModule[] = [
  {
    path: /[\\/]credential-provider-node[\\/]dist-es[\\/]index\.js$/,
    because: `Lambda passes the credentials of the role in environment variables, so the SDK never reaches the other
      credential providers (https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html).`,
    contents: "export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';",
  },
  {
    path: /[\\/]submodules[\\/]event-streams[\\/]index\.js$/,
    because: `No DynamoDB operation uses event streams. The module is imported dynamically, so esbuild keeps everything
      that it imports, including HTTP/2 and compression.`,
    contents: 'export const EventStreamSerde = undefined, eventStreamSerdeProvider = undefined;',
  },
  {
    path: /[\\/]endpoint-cache[\\/]dist-es[\\/]EndpointCache\.js$/,
    because: `The client makes a cache of discovered endpoints, which only the plugin of endpoint discovery uses. No command of
      DynamoDB has this plugin. The cache brings mnemonist, 8 KB in all.`,
    contents: 'export class EndpointCache {}',
  },
  {
    path: /[\\/]checksum[\\/]sha256[\\/]Sha256Js\.js$/,
    because: 'SHA-256 in JavaScript is for a Node.js without the module `crypto`.',
    contents: 'export class Sha256Js {}',
  },
  {
    path: /[\\/]util-retry[\\/]AdaptiveRetryStrategy\.js$/,
    because:
      'The client has the retry mode `standard`. Only the mode `adaptive` uses this module, with its rate limiter.',
    contents: 'export class AdaptiveRetryStrategy {}',
  },
  {
    path: /[\\/]signature-v4[\\/]dist-es[\\/]HeaderFormatter\.js$/,
    because: 'It formats the headers of messages in event streams, to sign them.',
    contents: 'export class HeaderFormatter {}',
  },
  {
    path: /[\\/]regionConfig[\\/]getInstanceMetadataRegion\.js$/,
    because: 'It asks the metadata service of EC2 for the region, which Lambda passes in `AWS_REGION`.',
    contents: 'export const getInstanceMetadataRegion = undefined;',
  },
  {
    path: /[\\/]server[\\/]dist[\\/]ajvProvider-\w+\.mjs$/,
    because:
      'The server of tools asks its client for no input, whose schema it would check. The service validates arguments.',
    contents: 'export class n {}',
  },
];

export const without = (modules: readonly UnusedModule[]): Plugin => ({
  name: 'without-unused-modules',
  setup: ({ onLoad }) => {
    for (const { path: filter, contents } of modules) {
      onLoad({ filter }, ({ path }) => ({ contents, resolveDir: dirname(path) }));
    }
  },
});
