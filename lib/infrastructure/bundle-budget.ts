/**
 * Limits the size and the content of the bundles. Every function has a cold start of its own, which grows with its
 * bundle, and one import can add hundreds of kilobytes.
 */
import type { Metafile } from 'esbuild';
import { logRecordsWithBusFile, toolsFile } from '../hosting/functions.ts';

/** Limit of a minified bundle. The largest has 325 kB; `npx pm-api bundles` prints all. */
const maxBundleBytes = 340_000;

/** Limit of the bundle with the tools for agents: the library of their protocol has 270 kB. */
const maxToolsBytes = 360_000;

export const bundlesOf = ({ outputs }: Metafile) =>
  Object.values(outputs).flatMap(({ entryPoint, bytes, inputs }) =>
    entryPoint === undefined ? [] : [{ file: entryPoint, bytes, inputs: Object.keys(inputs) }],
  );

interface ForbiddenModules {
  readonly what: string;
  readonly path: RegExp;
  /** The only handler whose bundle may contain them. */
  readonly except?: string;
}

const forbiddenModules: readonly ForbiddenModules[] = [
  {
    what: 'a credential provider that functions do not need',
    path: /node_modules\/@aws-sdk\/(?:credential-provider-(?!env\/|node\/dist-es\/index\.js$)|token-providers|nested-clients|client-(?!dynamodb\/|eventbridge\/|sqs\/))/,
  },
  {
    what: 'the client of the event bus or of its queue',
    path: /node_modules\/@aws-sdk\/client-(?:eventbridge|sqs)\//,
    except: `functions/${logRecordsWithBusFile}`,
  },
  { what: 'the CDK', path: /node_modules\/(?:aws-cdk|constructs)|^lib\/infrastructure\// },
  {
    what: 'the OpenAPI generator',
    path: /^lib\/openapi\/|(?:^|\/)resource-docs\.ts$|node_modules\/@valibot\/to-json-schema\//,
  },
  { what: 'a file that hosts the functions', path: /^(?:lib|bin|test|tools)\// },
];

/** Folders that the functions of all groups use. */
const sharedFolders = new Set(['contract', 'http', 'runtime', 'engine']);

/** Returns whether a file belongs to another group of operations than the handler. A resource refers to others, which responses expand. */
function isFromAnotherGroup(path: string, handler: string): boolean {
  const [folder, group, file] = path.split('/');
  const own = handler.split('/')[1];
  const isForeign = !sharedFolders.has(group ?? '') && group !== own && own !== 'jobs';
  // A file beside the folders belongs to all, and jobs are those of all resources.
  return folder === 'functions' && isForeign && file !== undefined && file !== 'resource.ts';
}

function importChain(path: string, handler: string, { inputs }: Metafile): string {
  const importers = new Map<string, string>([[handler, '']]);
  // Iterating a Map includes entries that are added meanwhile: this is a breadth-first search.
  for (const [importer] of importers) {
    for (const { path: imported } of inputs[importer]?.imports ?? []) {
      if (!importers.has(imported)) importers.set(imported, importer);
    }
  }
  const chain: string[] = [];
  for (let step: string | undefined = path; step; step = importers.get(step)) chain.unshift(step);
  return chain.join(' → ');
}

function violationsOf(bundle: ReturnType<typeof bundlesOf>[number], metafile: Metafile): string[] {
  const violations: string[] = [];
  const bytes = (count: number): string => `${count.toLocaleString('en')} bytes`;
  const limit = bundle.file.endsWith(toolsFile) ? maxToolsBytes : maxBundleBytes;
  if (bundle.bytes > limit) violations.push(`has ${bytes(bundle.bytes)}; the limit is ${bytes(limit)}.`);
  for (const path of bundle.inputs) {
    const what = isFromAnotherGroup(path, bundle.file)
      ? 'a module of another resource'
      : forbiddenModules.find(({ path: forbidden, except }) => except !== bundle.file && forbidden.test(path))
          ?.what;
    if (what) violations.push(`contains ${what}, ${path}: ${importChain(path, bundle.file, metafile)}`);
  }
  return violations.map((violation) => `${bundle.file} ${violation}`);
}

/** Returns what is wrong with bundles. */
export const budgetViolations = (metafile: Metafile): string[] =>
  bundlesOf(metafile).flatMap((bundle) => violationsOf(bundle, metafile));
