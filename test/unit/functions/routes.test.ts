import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { methodsByPath, routes } from '../../../functions/routes.ts';
import { internalAttributes } from '../../../functions/shared/store/model/item-codec.ts';
import { type Kind, relations } from '../../../functions/shared/store/model/relations.ts';

const functions = join(__dirname, '../../../functions');

const resources = new Map(
  routes.flatMap(({ contract: { resource } }) => (resource ? [[resource.kind, resource]] : [])),
);

/** Returns the kind that a field refers to, from the metadata of its schema or of a wrapped schema. */
function referredKind(schema: unknown): Kind | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { wrapped, item, pipe } = schema as { wrapped?: unknown; item?: unknown; pipe?: readonly unknown[] };
  if (wrapped) return referredKind(wrapped);
  if (pipe) {
    const kind = v.getMetadata(schema as never)['reference'] as Kind | undefined;
    return kind ?? pipe.filter((part) => part !== schema).map(referredKind)[0];
  }
  return item ? referredKind(item) : undefined;
}

test('operations and handler files match one to one', () => {
  const files = readdirSync(functions, { withFileTypes: true })
    .filter(
      (entry) => entry.isDirectory() && readdirSync(join(functions, entry.name)).includes('contract.ts'),
    )
    .flatMap(({ name }) => readdirSync(join(functions, name)).map((file) => `${name}/${file}`))
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => !/\/(?:contract|resource-docs)\.ts$/.test(file));
  expect(files.sort()).toEqual(routes.map(({ file }) => file).sort());
});

test('every resource path consists of the version, lower-case nouns and at most the parameter {id}', () => {
  for (const { contract } of routes) {
    if (contract.success !== 'staticPage') {
      expect(contract.path).toMatch(/^\/v1\/[a-z]+(?:\/\{id\}(?:\/[a-z]+)?)?$/);
    }
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
  const inContracts = [...resources.values()].flatMap(({ kind, fields }) =>
    Object.entries(fields).flatMap(([field, schema]) => {
      const parent = referredKind(schema);
      return parent ? [`${kind}.${field} -> ${parent}`] : [];
    }),
  );
  expect(inContracts.sort()).toEqual(
    relations.map(({ child, field, parent }) => `${child}.${field} -> ${parent}`).sort(),
  );
});

test('no two relations of a kind share an index family', () => {
  const families = relations.flatMap(({ child, index }) => (index ? [`${child}/${index}`] : []));
  expect(new Set(families).size).toBe(families.length);
});
