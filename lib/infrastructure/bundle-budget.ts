/**
 * What a bundle may hold, and how large it may be. Every operation has a cold start of its own, which grows with
 * its bundle; and what comes in is rarely meant to (one import of a schema library can be 400 kB).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';

/** Bytes, minified. */
export const largestBundle = 250_000;

/** As a share of the recorded size: what a bundle may grow by before somebody must look at it. */
export const largestGrowth = 0.05;

/** Bytes, as of the last look at them. */
export interface RecordedSizes {
  /** By the handler's file. */
  readonly bundles: Readonly<Record<string, number>>;
  /** By package, or by file of ours: the most that any bundle holds of it. */
  readonly modules: Readonly<Record<string, number>>;
}

const file = fileURLToPath(new URL('bundle-sizes.json', import.meta.url));

export const recordedSizes = (): RecordedSizes => JSON.parse(readFileSync(file, 'utf8')) as RecordedSizes;

/** Makes what is so now the measure of what comes. */
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
  /** The handler's file. */
  readonly file: string;
  readonly bytes: number;
  /** The paths of all that is in it. */
  readonly inputs: readonly string[];
  /** Bytes by package, or by file of ours. */
  readonly modules: ReadonlyMap<string, number>;
}

/** The package of a path, or the path of a file of ours. */
const moduleOf = (path: string): string =>
  /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path.replace(/^unused for [^:]*:/, '');

/** The bundles that esbuild made, by its own account. */
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

/** What no function may hold, by path. */
const forbidden: readonly { readonly what: string; readonly path: RegExp }[] = [
  {
    what: 'a way to credentials that a function never takes',
    path: /node_modules\/@aws-sdk\/(?:credential-provider-(?!env\/|node\/dist-es\/index\.js$)|token-providers|nested-clients|client-(?!dynamodb\/))/,
  },
  { what: 'the CDK', path: /node_modules\/(?:aws-cdk|constructs)|^lib\/infrastructure\// },
  {
    what: 'the OpenAPI document or what only it needs',
    path: /^lib\/openapi\/|(?:^|\/)documentation\.ts$|node_modules\/@valibot\/to-json-schema\//,
  },
  { what: 'a part of what hosts functions', path: /^(?:lib|bin|test)\// },
];

/** Whether a file belongs to a resource, or another group of operations, that the handler is not of. */
function isOfAnother(path: string, handler: string): boolean {
  const [folder, group] = path.split('/');
  return folder === 'functions' && group !== 'shared' && group !== handler.split('/')[1];
}

/** How a module came into a bundle: the imports from the handler to it. */
function wayTo(path: string, handler: string, { inputs }: Metafile): string {
  const importers = new Map<string, string>([[handler, '']]);
  // A map goes on over what is added to it while it is gone through: breadth first.
  for (const [importer] of importers) {
    for (const { path: imported } of inputs[importer]?.imports ?? []) {
      if (!importers.has(imported)) importers.set(imported, importer);
    }
  }
  const way: string[] = [];
  for (let step: string | undefined = path; step; step = importers.get(step)) way.unshift(step);
  return way.join(' → ');
}

const bytes = (count: number): string => `${count.toLocaleString('en')} bytes`;

/** The modules that grew the most since sizes were recorded. */
function grown(bundle: Bundle, { modules }: RecordedSizes): string {
  const growth = [...bundle.modules].map(([module, size]) => ({ module, by: size - (modules[module] ?? 0) }));
  return growth
    .filter(({ by }) => by > 0)
    .sort((one, other) => other.by - one.by)
    .slice(0, 3)
    .map(({ module, by }) => `${module} (${module in modules ? 'grew by' : 'new,'} ${bytes(by)})`)
    .join(', ');
}

function complaintsOf(bundle: Bundle, metafile: Metafile, recorded: RecordedSizes): string[] {
  const complaints: string[] = [];
  const was = recorded.bundles[bundle.file];
  if (bundle.bytes > largestBundle) {
    const more = grown(bundle, recorded);
    complaints.push(`has ${bytes(bundle.bytes)}, and may have ${bytes(largestBundle)}: ${more}`);
  }
  // A new function has grown from nothing: what bounds it is the largest that any may be.
  if (was !== undefined && bundle.bytes > was * (1 + largestGrowth)) {
    const percent = ((bundle.bytes / was - 1) * 100).toFixed(1);
    complaints.push(
      `grew by ${percent} % to ${bytes(bundle.bytes)}: ${grown(bundle, recorded)}. If that is worth it: npm run bundles -- --record`,
    );
  }
  for (const path of bundle.inputs) {
    const what = isOfAnother(path, bundle.file)
      ? 'a module of another resource'
      : forbidden.find((rule) => rule.path.test(path))?.what;
    if (what) complaints.push(`holds ${what}, ${path}: ${wayTo(path, bundle.file, metafile)}`);
  }
  return complaints.map((complaint) => `${bundle.file} ${complaint}`);
}

/** What is wrong with the bundles, each with the modules to blame; nothing when all is well. */
export const budgetComplaints = (metafile: Metafile, recorded: RecordedSizes): string[] =>
  bundlesOf(metafile).flatMap((bundle) => complaintsOf(bundle, metafile, recorded));
