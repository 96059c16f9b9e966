import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { functionFiles } from '#lib/hosting/functions.ts';
import { bundling } from '#lib/infrastructure/bundle.ts';
import { budgets, budgetViolations, bundlesOf, kindOfBundle } from '#lib/infrastructure/bundle-budget.ts';
import { unusedModules } from '#lib/infrastructure/unused-modules.ts';
import { bundles } from './bundles.ts';

const readTask = 'functions/tasks/read-task.ts';
let metafile: Metafile;

beforeAll(() => {
  ({ metafile } = bundles());
});

/** Bundles a handler with an additional import. */
async function withImport(imported: string, handler = readTask): Promise<Metafile> {
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
      expect.stringMatching(/ has \d+,\d+ bytes; the limit of a read is 244,100 bytes\.$/),
    ]);
  });

  test.each(Object.entries(budgets))('of each %s are close to the largest', (kind, { maxBytes }) => {
    const sizes = bundlesOf(metafile).filter(({ file }) => kindOfBundle(file) === kind);
    const largest = Math.max(...sizes.map(({ bytes }) => bytes));
    expect(maxBytes / largest).toBeLessThan(1.06);
  });

  test.each([
    ['read', readTask, '../lists/read-page.ts'],
    ['read', readTask, '../../http/json-body.ts'],
    ['list', 'functions/tasks/list-tasks.ts', '../write/commit.ts'],
    ['feed', 'functions/tasks/list-task-changes.ts', '../write/commit.ts'],
    ['history', 'functions/tasks/list-task-history.ts', '../lists/read-page.ts'],
    ['create', 'functions/tasks/create-task.ts', '../lists/children.ts'],
    ['write without a tree', 'functions/tags/update-tag.ts', '../lists/children.ts'],
    ['write with a tree', 'functions/tasks/update-task.ts', '../../http/render-list.ts'],
    ['batch', 'functions/tasks/batch-tasks.ts', '../columns/compact/compact.ts'],
    ['action', 'functions/tasks/delete-task.ts', '../batches/apply-batch.ts'],
    ['job', 'functions/jobs/on-stream.ts', '../../http/endpoint.ts'],
  ])('report what no %s runs, %s with %s', async (kind, handler, imported) => {
    expect(budgetViolations(await withImport(imported, handler))).toContainEqual(
      expect.stringContaining(`contains what no ${kind} runs, functions/`),
    );
  });

  test('are those of the same files from any folder', () => {
    // esbuild takes the folder in which a process begins, so this one cannot change it.
    expect(bundling.absWorkingDir).toBe(join(__dirname, '../../'));
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

test('a bundle has the contract of its operation alone', () => {
  const output = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint === readTask);
  expect(output?.inputs['functions/tasks/contract.ts']?.bytesInOutput).toBeLessThan(50);
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
