/**
 * Modules that would come along in every bundle, and that no function here can ever run.
 * Only what the module that asks for one needs to link stands in its place.
 *
 * Each must stay provably out of reach. The contract suite runs on these bundles (`npm run start:synthesized`), and a
 * test (`test/infrastructure/bundle-budget.test.ts`) sees that each is still there to be replaced.
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
