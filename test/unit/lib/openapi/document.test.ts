import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { needsToken, scopeOf } from '#functions/contract/contract.ts';
import { catalogue } from '#functions/http/problems.ts';
import { notFoundFile } from '#functions/http/static-page.ts';
import { routes } from '#functions/routes.ts';
import { files } from '#lib/hosting/functions.ts';
import { clientTypes } from '#lib/openapi/client-types.ts';
import { clientTypesFile, committedFile } from '#lib/openapi/committed-document.ts';
import { documentText, openApiDocument } from '#lib/openapi/document.ts';
import { fieldDescriptions, resourceDocs } from '#lib/openapi/resources.ts';
import type { OpenApiDocument, Schema } from '#lib/openapi/types.ts';
import { expectComplete, expectCurrent } from '#test/support/complete.ts';

const document = openApiDocument();

/** Yields every object in the document with its path. */
function* places(value: unknown, place = ''): Generator<[place: string, value: Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  yield [place, value as Record<string, unknown>];
  for (const [key, child] of Object.entries(value)) yield* places(child, `${place}/${key}`);
}

const isExample = (place: string): boolean => /\/examples?(?:\/|$)/.test(place);

/** Every schema with its path. */
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

test('components have different names without case and punctuation, of which generators make names of types', () => {
  for (const [section, components] of Object.entries(document.components)) {
    const names = Object.keys(components).map((name) => name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase());
    const repeated = names.filter((name, position) => names.indexOf(name) !== position);
    expect([section, repeated]).toEqual([section, []]);
  }
});

test('parameters that are true or false are booleans', () => {
  const texts = schemas.filter(([, { enum: values }]) => values?.includes('true'));
  expect(texts).toEqual([]);
});

test('equals the committed document', () => {
  expectCurrent(committedFile, documentText(document));
});

test('generates the committed types of the client', () => {
  expectCurrent(clientTypesFile, clientTypes(document));
});

test('has exactly the operations of the routes', () => {
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

test('requires the scope of each operation, and none where no token is needed', () => {
  for (const { contract } of routes) {
    const scope = scopeOf(contract);
    const { security } = document.paths[contract.path]?.[contract.method.toLowerCase()] ?? {};
    const scopes = scope === undefined ? [] : [scope];
    expect(security).toEqual(needsToken(contract) ? [{ token: scopes }] : []);
  }
});

test('bounds every string, number and array, and rejects unknown fields in every body', () => {
  const unbounded = schemas.filter(([place, { type, ...schema }]) => {
    const types = [type].flat();
    const isBounded =
      'enum' in schema ||
      ((!types.includes('string') || 'maxLength' in schema) &&
        (!types.includes('array') || 'maxItems' in schema) &&
        // A limit above the maximum is served as the maximum.
        (!types.includes('integer') || ('maximum' in schema && 'minimum' in schema) || /limit/i.test(place)));
    return !isBounded;
  });
  expect(unbounded.map(([place]) => place)).toEqual([]);
  const bodies = Object.entries(document.components.schemas).filter(([name]) =>
    /^New|Changes$|Options$/.test(name),
  );
  // Two for each resource, and one for each action that takes fields of its own.
  const actions = routes.filter(({ contract }) => contract.path.includes('{id}/') && contract.body);
  expect(bodies).toHaveLength(2 * Object.keys(resourceDocs).length + actions.length);
  for (const [, schema] of bodies) expect(schema.additionalProperties).toBe(false);
});

test('the docs of each resource have an example and a description of each of its fields', () => {
  for (const { kind, plural, fieldNames } of routes.flatMap(({ contract }) => contract.resource ?? [])) {
    const file = `functions/${plural}/resource-docs.ts`;
    expectComplete(Object.keys(resourceDocs[kind].example), fieldNames, {
      missing: `Add a value to \`example\` in ${file}.`,
    });
    const described = fieldNames.filter((field) => field in fieldDescriptions);
    expectComplete(described, fieldNames, { missing: `Describe it under \`fields\` in ${file}.` });
  }
});

test('describes every field, parameter and header', () => {
  const named = [...places(document)].filter(
    ([place]) => /\/(?:properties|parameters|headers)\/[^/]+$/.test(place) && !isExample(place),
  );
  const undescribed = named.filter(
    ([place, value]) => !('description' in value || '$ref' in value || place.includes('allOf')),
  );
  expect(undescribed.map(([place]) => place)).toEqual([]);
});

test('has examples that match their schemas', () => {
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

test('has an example of every problem', () => {
  const named = new Set(
    Object.values(document.components.responses).flatMap(({ content }) =>
      Object.keys(content?.['application/problem+json']?.examples ?? {}),
    ),
  );
  // No operation responds to a method that its path does not have, or to data that is not HTTP.
  expectComplete([...named, 'malformed-request', 'method-not-allowed'], Object.keys(catalogue), {
    missing:
      'Add it to the operations that respond with it (lib/openapi/error-responses.ts), or to this test if none can.',
  });
});

test('has no reference without a target', () => {
  const references = [...places(document)].flatMap(([, { $ref }]) =>
    typeof $ref === 'string' ? [$ref] : [],
  );
  for (const reference of new Set(references)) {
    const [, , section = '', name = ''] = reference.split('/');
    expect(Object.keys((document as OpenApiDocument).components[section as 'schemas'])).toContain(name);
  }
});

test('the pages need exactly the files that are deployed', () => {
  const named = [...routes.flatMap(({ contract }) => contract.files ?? []), notFoundFile];
  expect(named.sort()).toEqual(Object.keys(files).sort());
});

test('says what each operation does as an order: "List tasks"', () => {
  const thirdPerson = routes
    .map(({ contract }) => contract.summary)
    .filter((summary) => /^\w+s\b(?<!ss)/.test(summary) || summary.endsWith('.'));
  expect(thirdPerson).toEqual([]);
});
