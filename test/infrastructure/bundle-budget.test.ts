import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { functionFiles } from '#lib/hosting/functions.ts';
import { bundling } from '#lib/infrastructure/bundle.ts';
import { budgetViolations, bundlesOf } from '#lib/infrastructure/bundle-budget.ts';
import { unusedModules } from '#lib/infrastructure/unused-modules.ts';
import { bundles } from './bundles.ts';

const handler = 'functions/tasks/read-task.ts';
let metafile: Metafile;

beforeAll(() => {
  ({ metafile } = bundles());
});

/** Bundles a handler with an additional import. */
async function withImport(imported: string): Promise<Metafile> {
  const addImport: Plugin = {
    name: 'add-import',
    setup: ({ onLoad }) => {
      onLoad({ filter: /[\\/]item-codec\.ts$/ }, ({ path }) => ({
        contents: `import * as added from '${imported}';\nObject.assign(globalThis, { added });\n${readFileSync(path, 'utf8')}`,
        loader: 'ts',
      }));
    },
  };
  const { metafile } = await build({
    ...bundling,
    entryPoints: [handler],
    write: false,
    outdir: 'dist',
    // Some files in lib/ work only as ES modules, which causes warnings.
    logLevel: 'error',
    plugins: [addImport, ...bundling.plugins],
  });
  return metafile;
}

describe('the limits of bundles', () => {
  test('are met by all functions', () => {
    expect(
      bundlesOf(metafile)
        .map(({ file }) => file)
        .sort(),
    ).toEqual(functionFiles.map((file) => `functions/${file}`).sort());
    expect(budgetViolations(metafile)).toEqual([]);
  });

  test('report a bundle that is too large', async () => {
    expect(budgetViolations(await withImport('fast-check'))).toEqual([
      expect.stringMatching(/ has \d+,\d+ bytes; the limit is 340,000 bytes\.$/),
    ]);
  });

  test.each([
    ['a module of another resource', '../../tags/contract.ts', 'functions/tags/contract.ts'],
    ['a credential provider', '@aws-sdk/credential-provider-http', 'credential-provider-http/'],
    ['the CDK', 'constructs', 'node_modules/constructs/'],
    ['a file that hosts the functions', '../../../lib/hosting/functions.ts', 'lib/hosting/functions.ts'],
  ])('report %s, with the chain of imports', async (what, imported, module) => {
    const violations = budgetViolations(await withImport(imported));
    const found = violations.filter((violation) => violation.includes(what));
    expect(found).toContainEqual(expect.stringContaining(module));
    expect(found).toContainEqual(expect.stringContaining('functions/engine/model/item-codec.ts → '));
  });
});

test('no bundle imports a module while it runs', () => {
  const { directory } = bundles();
  const importing = functionFiles.filter((file) =>
    /\bimport\(/.test(readFileSync(join(directory, file.replace(/\.ts$/, ''), 'index.js'), 'utf8')),
  );
  expect(importing).toEqual([]);
});

describe('replaced modules', () => {
  // When a package moves a module, the replacement no longer applies and the bundle contains the module again.
  test.each(unusedModules)('$path still exists', ({ path }) => {
    expect(
      Object.keys(metafile.inputs).filter((input) => path.test(input.replace(/^unused for [^:]*:/, ''))),
    ).toHaveLength(1);
  });
});
