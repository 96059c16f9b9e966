import { readFileSync } from 'node:fs';
import { build, type Metafile, type Plugin } from 'esbuild';
import { functionFiles } from '../../lib/hosting/functions.ts';
import { bundling } from '../../lib/infrastructure/bundle.ts';
import {
  budgetComplaints,
  bundlesOf,
  largestGrowth,
  type RecordedSizes,
  recordedSizes,
} from '../../lib/infrastructure/bundle-budget.ts';
import { unusedModules } from '../../lib/infrastructure/unused-modules.ts';
import { bundles } from './stacks.ts';

const handler = 'functions/tasks/read-task.ts';
let metafile: Metafile;
let recorded: RecordedSizes;

beforeAll(async () => {
  ({ metafile } = await bundles());
  recorded = recordedSizes();
});

/** Bundles a handler into which somebody put one more import, as the functions are bundled. */
async function withImport(imported: string): Promise<Metafile> {
  const planted: Plugin = {
    name: 'planted',
    setup: ({ onLoad }) => {
      onLoad({ filter: /[\\/]item-codec\.ts$/ }, ({ path }) => ({
        contents: `import * as planted from ${JSON.stringify(imported)};\nObject.assign(globalThis, { planted });\n${readFileSync(path, 'utf8')}`,
        loader: 'ts',
      }));
    },
  };
  const { metafile } = await build({
    ...bundling,
    entryPoints: [handler],
    write: false,
    outdir: 'dist',
    // Of what hosts functions, some works only as an ES module.
    logLevel: 'error',
    plugins: [planted, ...bundling.plugins],
  });
  return metafile;
}

describe('the budget of bundles', () => {
  test('is kept by all that ship', () => {
    expect(
      bundlesOf(metafile)
        .map(({ file }) => file)
        .sort(),
    ).toEqual(functionFiles.map((file) => `functions/${file}`).sort());
    expect(budgetComplaints(metafile, recorded)).toEqual([]);
  });

  test('is not kept by a bundle that grew, and names what grew', async () => {
    const complaints = budgetComplaints(await withImport('fast-check'), recorded);
    expect(complaints).toContainEqual(
      expect.stringMatching(
        /^functions\/tasks\/read-task\.ts grew by \d+\.\d % to .*: fast-check \(new, .* bytes\)/,
      ),
    );
  });

  test('is broken by growth alone', () => {
    const now = bundlesOf(metafile).find(({ file }) => file === handler)?.bytes ?? 0;
    const smaller = Math.floor(now / (1 + largestGrowth)) - 1;
    const before = { ...recorded, bundles: { ...recorded.bundles, [handler]: smaller } };
    expect(budgetComplaints(metafile, before)).toEqual([expect.stringContaining(`${handler} grew by 5.0 %`)]);
  });

  test.each([
    ['a module of another resource', '../../../tags/contract.ts', 'functions/tags/contract.ts'],
    [
      'a way to credentials',
      '@aws-sdk/credential-provider-http',
      'node_modules/@aws-sdk/credential-provider-http/',
    ],
    ['what only it needs', '../../../tasks/documentation.ts', 'functions/tasks/documentation.ts'],
    ['the CDK', 'constructs', 'node_modules/constructs/'],
    ['a part of what hosts functions', '../../../../lib/hosting/functions.ts', 'lib/hosting/functions.ts'],
  ])('is broken by %s, and names the module and the way to it', async (what, imported, module) => {
    const complaints = budgetComplaints(await withImport(imported), recorded);
    const found = complaints.filter((complaint) => complaint.includes(what));
    expect(found).toContainEqual(expect.stringContaining(module));
    expect(found).toContainEqual(expect.stringContaining('functions/shared/store/model/item-codec.ts → '));
  });

  test('takes a function that is new, as long as it is no larger than any may be', async () => {
    expect(budgetComplaints(metafile, { ...recorded, bundles: {} })).toEqual([]);
    expect(budgetComplaints(await withImport('fast-check'), { ...recorded, bundles: {} })).toEqual([
      expect.stringMatching(
        /^functions\/tasks\/read-task\.ts has \d+,\d+ bytes, and may have 250,000 bytes: fast-check \(new/,
      ),
    ]);
  });
});

describe('modules that are left out', () => {
  // One that is no longer found is a package that changed: then the bundle holds it again, or something else of it.
  test.each(unusedModules)('$path is still there to be left out', ({ path }) => {
    expect(
      Object.keys(metafile.inputs).filter((input) => path.test(input.replace(/^unused for [^:]*:/, ''))),
    ).toHaveLength(1);
  });
});
