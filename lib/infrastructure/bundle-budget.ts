/**
 * Limits the size and the content of the bundles. Every function has a cold start of its own, which grows with its
 * bundle, and one import can add hundreds of kilobytes.
 */
import type { Metafile } from 'esbuild';
import { routes } from '../../functions/routes.ts';
import { logRecordsWithBusFile, toolsFile } from '../hosting/functions.ts';

interface Budget {
  /** Bytes of a minified bundle: those of the largest of its kind, and 4 %. `npx pm-api bundles` prints all. */
  readonly maxBytes: number;
  /** Files that only other kinds run. */
  readonly others: RegExp;
}

const ofLists = 'http/(?:page-links|parse-filters|render-list|render-page)';
const ofWrites =
  'engine/(?:batches|deletions|due-work|log/positions|write)|http/(?:json-body|validation|write-endpoint)';
const ofJobs = 'engine/(?:columns/compact|due-work)';
const without = (...paths: readonly string[]): RegExp => new RegExp(`^functions/(?:${paths.join('|')})`);

export const budgets = {
  read: { maxBytes: 244_100, others: without('engine/(?:columns|feed|lists)', ofLists, ofWrites) },
  list: { maxBytes: 323_400, others: without(ofWrites, 'engine/columns/compact') },
  feed: { maxBytes: 327_800, others: without(ofWrites, 'engine/columns/compact') },
  history: { maxBytes: 251_100, others: without('engine/(?:columns|lists/read)', ofLists, ofWrites) },
  create: {
    maxBytes: 290_400,
    others: without('engine/(?:batches|columns/read|deletions|feed|lists/read)', ofLists, ofJobs),
  },
  'write without a tree': {
    maxBytes: 291_900,
    others: without('engine/(?:batches|columns/read|deletions|feed|lists/read)', ofLists, ofJobs),
  },
  'write with a tree': {
    maxBytes: 337_400,
    others: without('engine/(?:batches|deletions|feed)', ofLists, ofJobs),
  },
  batch: { maxBytes: 346_300, others: without('engine/feed', ofLists, ofJobs) },
  action: { maxBytes: 338_700, others: without('engine/batches', ofLists, ofJobs) },
  job: { maxBytes: 340_700, others: without('engine/batches', 'http/(?!live-channels)') },
  tools: { maxBytes: 362_300, others: without('contract/(?!scopes)', 'engine/(?!model|table)', ofLists) },
  'function without the table': {
    maxBytes: 20_900,
    others: without('engine/(?!model|table/(?:deadline|query))'),
  },
} satisfies Readonly<Record<string, Budget>>;

/** Returns the kind of an operation's bundle: that of its success. */
function kindOfOperation({ contract: { method, path, success, resource } }: (typeof routes)[number]) {
  if (success === 'list' || success === 'deletedList') return 'list';
  if (success === 'changes') return 'feed';
  if (success === 'history' || success === 'batch') return success;
  if (method === 'GET') return 'read';
  if (method === 'POST') return path.includes('{id}') ? 'action' : 'create';
  if (method === 'DELETE') return 'action';
  const hasTree = resource?.relations.some(({ parent }) => parent === resource.kind);
  return hasTree ? 'write with a tree' : 'write without a tree';
}

/** Returns the kind of a function. @param file of its handler, from the root of the repository. */
export function kindOfBundle(file: string): keyof typeof budgets {
  const route = routes.find((one) => file === `functions/${one.file}`);
  if (route) return kindOfOperation(route);
  if (file === `functions/${toolsFile}`) return 'tools';
  return file.startsWith('functions/jobs/') ? 'job' : 'function without the table';
}

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
  const kind = kindOfBundle(bundle.file);
  const { maxBytes, others } = budgets[kind];
  if (bundle.bytes > maxBytes)
    violations.push(`has ${bytes(bundle.bytes)}; the limit of a ${kind} is ${bytes(maxBytes)}.`);
  for (const path of bundle.inputs) {
    const ofOthers = others.test(path) ? `what no ${kind} runs` : undefined;
    const what = isFromAnotherGroup(path, bundle.file)
      ? 'a module of another resource'
      : (ofOthers ??
        forbiddenModules.find(({ path: forbidden, except }) => except !== bundle.file && forbidden.test(path))
          ?.what);
    if (what) violations.push(`contains ${what}, ${path}: ${importChain(path, bundle.file, metafile)}`);
  }
  return violations.map((violation) => `${bundle.file} ${violation}`);
}

/** Returns what is wrong with bundles. */
export const budgetViolations = (metafile: Metafile): string[] =>
  bundlesOf(metafile).flatMap((bundle) => violationsOf(bundle, metafile));
