import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { routes } from '../../../../functions/routes.ts';
import { scopeOf } from '../../../../functions/shared/contract/contract.ts';
import { catalogue } from '../../../../functions/shared/http/problems.ts';
import { files } from '../../../../lib/hosting/functions.ts';
import { clientTypes } from '../../../../lib/openapi/client-types.ts';
import { clientTypesFile, committedFile } from '../../../../lib/openapi/committed.ts';
import { documentText, openApiDocument } from '../../../../lib/openapi/document.ts';
import type { OpenApiDocument, Schema } from '../../../../lib/openapi/types.ts';

const document = openApiDocument();

/** Every value in the document, with its place. */
function* places(value: unknown, place = ''): Generator<[place: string, value: Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  yield [place, value as Record<string, unknown>];
  for (const [key, member] of Object.entries(value)) yield* places(member, `${place}/${key}`);
}

const isExample = (place: string): boolean => /\/examples?(?:\/|$)/.test(place);

/** Every schema, with its place. */
const schemas: readonly (readonly [string, Schema])[] = [...places(document)].filter(
  ([place, value]) =>
    !isExample(place) &&
    ('type' in value || 'enum' in value) &&
    !place.startsWith('/components/securitySchemes'),
) as [string, Schema][];

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(document, 'document');

const fits = (schema: Schema, value: unknown): string => {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as Schema;
  const validate = ajv.compile(absolute);
  return validate(value) ? 'fits' : ajv.errorsText(validate.errors);
};

test('is the one that is committed; "npm run openapi" writes it', () => {
  expect(readFileSync(committedFile, 'utf8') === documentText(document)).toBe(true);
});

test('is what the types of the client are made from', () => {
  expect(readFileSync(clientTypesFile, 'utf8') === clientTypes(document)).toBe(true);
});

test('has the operations that the routes have, each under its name', () => {
  const declared = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
  );
  const served = routes.flatMap(({ contract, methods }) =>
    methods.map(
      (method) => `${method} ${contract.path} ${contract.operation}${method === 'HEAD' ? 'Head' : ''}`,
    ),
  );
  expect(declared.sort()).toEqual(served.sort());
});

test('asks for the scope of each operation, and for none where anybody may call', () => {
  for (const { contract } of routes) {
    const scope = scopeOf(contract);
    const { security } = document.paths[contract.path]?.[contract.method.toLowerCase()] ?? {};
    expect(security).toEqual(scope ? [{ token: [scope] }] : []);
  }
});

test('bounds every string, number and array, and closes every body', () => {
  const unbounded = schemas.filter(([place, { type, ...schema }]) => {
    const types = [type].flat();
    const isBounded =
      'enum' in schema ||
      ((!types.includes('string') || 'maxLength' in schema) &&
        (!types.includes('array') || 'maxItems' in schema) &&
        // Any limit above the largest is served as that.
        (!types.includes('integer') || ('maximum' in schema && 'minimum' in schema) || /limit/.test(place)));
    return !isBounded;
  });
  expect(unbounded.map(([place]) => place)).toEqual([]);
  const bodies = Object.entries(document.components.schemas).filter(([name]) =>
    /^New|Changes$|Options$/.test(name),
  );
  expect(bodies).toHaveLength(12);
  for (const [, schema] of bodies) expect(schema.additionalProperties).toBe(false);
});

test('describes every member, parameter and header', () => {
  const named = [...places(document)].filter(
    ([place]) => /\/(?:properties|parameters|headers)\/[^/]+$/.test(place) && !isExample(place),
  );
  const silent = named.filter(
    ([place, value]) => !('description' in value || '$ref' in value || place.includes('allOf')),
  );
  expect(silent.map(([place]) => place)).toEqual([]);
});

test('has examples that fit their schemas', () => {
  const examples = [...places(document)].flatMap(([place, value]) => {
    const {
      schema,
      example,
      examples: several,
    } = value as {
      schema?: Schema;
      example?: unknown;
      examples?: Record<string, { value: unknown }>;
    };
    if (!schema || isExample(place)) return [];
    const all = [
      ...(example === undefined ? [] : [example]),
      ...Object.values(several ?? {}).map((one) => one.value),
    ];
    return all.map((one) => [place, fits(schema, one)]);
  });
  expect(examples.length).toBeGreaterThan(80);
  expect(examples.filter(([, result]) => result !== 'fits')).toEqual([]);
});

test('has an example of every problem, and no operation answers one of no status', () => {
  const named = new Set(
    Object.values(document.components.responses).flatMap(({ content }) =>
      Object.keys(content?.['application/problem+json']?.examples ?? {}),
    ),
  );
  // An operation cannot answer for methods that its path does not have.
  expect([...named, 'method-not-allowed'].sort()).toEqual(Object.keys(catalogue).sort());
});

test('refers only to what is there', () => {
  const references = [...places(document)].flatMap(([, { $ref }]) =>
    typeof $ref === 'string' ? [$ref] : [],
  );
  for (const reference of new Set(references)) {
    const [, , section = '', name = ''] = reference.split('/');
    expect(Object.keys((document as OpenApiDocument).components[section as 'schemas'])).toContain(name);
  }
});

test('ships with the files that the pages need, and there is no other', () => {
  const named = routes.flatMap(({ contract }) => contract.files ?? []);
  expect(named.sort()).toEqual(Object.keys(files).sort());
});
