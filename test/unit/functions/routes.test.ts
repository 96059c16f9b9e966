import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { methodsByPath, routes } from '#functions/routes.ts';
import { internalAttributes } from '#functions/store/model/item-codec.ts';
import { relations } from '#functions/store/model/relations.ts';
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
    .filter((file) => !/\/(?:contract|resource|resource-docs)\.ts$/.test(file));
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

test('every resource path consists of the version, lower-case nouns and at most the parameter {id}', () => {
  for (const { contract } of routes) {
    expect(contract.path).toMatch(
      /^\/v1\/[a-z]+(?:\/batch|\/changes|\/deleted|\/me|\/\{id\}(?:\/[a-z]+)?)?$/,
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

test('the references in the contracts match the relations of the store', () => {
  const inContracts = [...resources.values()].flatMap(({ kind, expansions }) =>
    Object.values(expansions).map(({ field, target }) => `${kind}.${field} -> ${target.kind}`),
  );
  expectComplete(
    relations.map(({ child, field, parent }) => `${child}.${field} -> ${parent}`),
    inContracts,
    {
      missing:
        'Add the relation to functions/store/model/relations.ts: what does a deletion of the parent do?',
      unneeded: 'Add the reference to resource.ts of the child, or list its folder in functions/routes.ts.',
    },
  );
});

test('an entity is in the index of parents once: a kind has one relation in it at most', () => {
  const kinds = relations.flatMap(({ child, isIndexed }) => (isIndexed ? [child] : []));
  expect(kinds.length).toBeGreaterThan(0);
  expect(new Set(kinds).size).toBe(kinds.length);
});
