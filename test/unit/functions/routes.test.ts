import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { internalAttributes } from '#functions/engine/model/item-codec.ts';
import { methodsByPath, routes } from '#functions/routes.ts';
import { expectComplete } from '#test/support/complete.ts';

const functions = join(__dirname, '../../../functions');

const resources = new Map(
  routes.flatMap(({ contract: { resource } }) => (resource ? [[resource.kind, resource]] : [])),
);

test('operations and handler files match one to one', () => {
  const files = readdirSync(functions, { withFileTypes: true })
    // The folder `contract` has what contracts are made of.
    .filter((entry) => entry.isDirectory() && entry.name !== 'contract')
    .filter(({ name }) => readdirSync(join(functions, name)).includes('contract.ts'))
    .flatMap(({ name }) => readdirSync(join(functions, name)).map((file) => `${name}/${file}`))
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => readFileSync(join(functions, file), 'utf8').includes('export const handler ='));
  expectComplete(
    files,
    routes.map(({ file }) => file),
    {
      missing: 'Write the handler of the operation in this file of functions.',
      unneeded:
        'Export its operation from contract.ts beside it, and list its folder in functions/routes.ts.',
    },
  );
});

test('every resource path consists of the version, lower-case words and at most the parameter {id}', () => {
  for (const { contract } of routes) {
    expect(contract.path).toMatch(
      /^\/v1\/[a-z-]+(?:\/batch|\/changes|\/deleted|\/me|\/\{id\}(?:\/[a-z-]+)?)?$/,
    );
  }
});

test('every path with GET has HEAD', () => {
  for (const methods of Object.values(methodsByPath)) {
    expect(methods.includes('HEAD')).toBe(methods.includes('GET'));
  }
});

test.each([...resources.values()])(
  'no field of a $kind has the name of an internal attribute',
  ({ fieldNames }) => {
    expect(fieldNames.filter((field) => internalAttributes.has(field))).toEqual([]);
  },
);
