/**
 * Limits the size and the content of the bundles. Every function has a cold start of its own, which grows with its
 * bundle, and one import can add hundreds of kilobytes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';
import { logRecordsWithBusFile } from '../hosting/functions.ts';

/** Limit of a minified bundle. The SDK takes 205 kB of it, the list engine and its records 39 kB. A batch also has what creates, updates and deletes entities. The rate limit and the metrics of requests take 3 kB, the pace, the limit and the reminders of jobs 4 kB, the suggestions of names 6 kB, the cursors of lists and of the feed 4 kB. Deletions that can be restored, own ids and histories took 12 kB together, and the schema of all resources 2 kB. */
const maxBundleBytes = 340_000;

/** Limit of the growth of a bundle, as a fraction of its recorded size. */
export const maxGrowth = 0.05;

/** Sizes in bytes, as recorded by `npx pm-api bundles --record`. */
export interface RecordedSizes {
  /** By file of the handler. */
  readonly bundles: Readonly<Record<string, number>>;
  /** By package or project file: the largest size in any bundle. */
  readonly modules: Readonly<Record<string, number>>;
}

const file = fileURLToPath(new URL('bundle-sizes.json', import.meta.url));

export const recordedSizes = (): RecordedSizes => JSON.parse(readFileSync(file, 'utf8')) as RecordedSizes;

export function recordSizes(metafile: Metafile): void {
  const bundles: Record<string, number> = {};
  const modules: Record<string, number> = {};
  for (const bundle of bundlesOf(metafile)) {
    bundles[bundle.file] = bundle.bytes;
    for (const [module, bytes] of bundle.modules) modules[module] = Math.max(modules[module] ?? 0, bytes);
  }
  const sorted = (sizes: Record<string, number>) =>
    Object.fromEntries(Object.entries(sizes).sort(([one], [other]) => (one < other ? -1 : 1)));
  const sizes: RecordedSizes = { bundles: sorted(bundles), modules: sorted(modules) };
  writeFileSync(file, `${JSON.stringify(sizes, null, 2)}\n`);
}

interface Bundle {
  readonly file: string;
  readonly bytes: number;
  readonly inputs: readonly string[];
  /** Bytes by package or project file. */
  readonly modules: ReadonlyMap<string, number>;
}

const moduleOf = (path: string): string =>
  /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path.replace(/^unused for [^:]*:/, '');

export function bundlesOf({ outputs }: Metafile): Bundle[] {
  return Object.values(outputs).flatMap(({ entryPoint, bytes, inputs }) => {
    if (entryPoint === undefined) return [];
    const modules = new Map<string, number>();
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const module = moduleOf(path);
      modules.set(module, (modules.get(module) ?? 0) + bytesInOutput);
    }
    return [{ file: entryPoint, bytes, inputs: Object.keys(inputs), modules }];
  });
}

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
  { what: 'a file that hosts the functions', path: /^(?:lib|bin|test)\// },
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

const bytes = (count: number): string => `${count.toLocaleString('en')} bytes`;

function largestGrowth(bundle: Bundle, { modules }: RecordedSizes): string {
  const growth = [...bundle.modules].map(([module, size]) => ({ module, by: size - (modules[module] ?? 0) }));
  return growth
    .filter(({ by }) => by > 0)
    .sort((one, other) => other.by - one.by)
    .slice(0, 3)
    .map(({ module, by }) => `${module} (${module in modules ? 'grew by' : 'new,'} ${bytes(by)})`)
    .join(', ');
}

function violationsOf(bundle: Bundle, metafile: Metafile, recorded: RecordedSizes): string[] {
  const violations: string[] = [];
  const was = recorded.bundles[bundle.file];
  if (bundle.bytes > maxBundleBytes) {
    const more = largestGrowth(bundle, recorded);
    violations.push(
      `has ${bytes(bundle.bytes)}; the limit is ${bytes(maxBundleBytes)}. Largest growth: ${more}`,
    );
  }
  // A new function has no recorded size. Only the limit applies to it.
  if (was !== undefined && bundle.bytes > was * (1 + maxGrowth)) {
    const percent = ((bundle.bytes / was - 1) * 100).toFixed(1);
    violations.push(
      `grew by ${percent} % to ${bytes(bundle.bytes)}: ${largestGrowth(bundle, recorded)}. To accept the growth, run "npx pm-api bundles --record"`,
    );
  }
  for (const path of bundle.inputs) {
    const what = isFromAnotherGroup(path, bundle.file)
      ? 'a module of another resource'
      : forbiddenModules.find(({ path: forbidden, except }) => except !== bundle.file && forbidden.test(path))
          ?.what;
    if (what) violations.push(`contains ${what}, ${path}: ${importChain(path, bundle.file, metafile)}`);
  }
  return violations.map((violation) => `${bundle.file} ${violation}`);
}

export const budgetViolations = (metafile: Metafile, recorded: RecordedSizes): string[] =>
  bundlesOf(metafile).flatMap((bundle) => violationsOf(bundle, metafile, recorded));
