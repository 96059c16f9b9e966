import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { needsToken, scopeOf } from '#functions/contract/contract.ts';
import { changesOptions, listOptions } from '#functions/contract/list-fields.ts';
import type { Resource } from '#functions/contract/resource.ts';
import { decodeRecord, recordWrites } from '#functions/engine/model/change-log.ts';
import { buildCreate, buildDeletion, buildRestore, buildUpdate } from '#functions/engine/model/changes.ts';
import { newDeletion } from '#functions/engine/model/deletion.ts';
import { type Fields, readOnlyFields } from '#functions/engine/model/entity.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import { readEntityView, readListQuery } from '#functions/http/parse-list-query.ts';
import { catalogue } from '#functions/http/problems.ts';
import { type CloudEvent, eventNames, toEvents } from '#functions/jobs/cloud-events.ts';
import { routes } from '#functions/routes.ts';
import { resources as schemaResources } from '#functions/schema.ts';
import { task } from '#functions/tasks/resource.ts';
import { clientTypes } from '#lib/openapi/client-types.ts';
import { clientTypesFile, committedFile, rxdbSchemasFile } from '#lib/openapi/committed-document.ts';
import { documentText, inWords, openApiDocument } from '#lib/openapi/document.ts';
import { eventSchemas } from '#lib/openapi/event-schemas.ts';
import { expandParameterNames, listParameters } from '#lib/openapi/list-parameters.ts';
import { docsOf, fieldDescriptions } from '#lib/openapi/resources.ts';
import { rxdbSchemasModule } from '#lib/openapi/rxdb-schemas.ts';
import type { Parameter, Schema } from '#lib/openapi/types.ts';
import { expectComplete, expectCurrent } from '#test/support/complete.ts';

describe('document', () => {
  const document = openApiDocument();

  /** Yields every object in the document with its path. */
  function* places(value: unknown, place = ''): Generator<[place: string, value: Record<string, unknown>]> {
    if (typeof value !== 'object' || value === null) return;
    yield [place, value as Record<string, unknown>];
    for (const [key, child] of Object.entries(value)) {
      const name = encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
      yield* places(child, `${place}/${name}`);
    }
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

  /** @param place a JSON pointer to the schema, as a part of a URI. */
  const fits = (place: string, value: unknown): string => {
    const validate = ajv.getSchema(`document#${place}`);
    return validate?.(value) ? 'fits' : ajv.errorsText(validate?.errors);
  };

  test('no example of a filter is the text "null", which no entity has', () => {
    const filters = Object.values(document.components.parameters).map(({ description }) => description);
    expect(filters.filter((text) => /=null`/.test(text ?? ''))).toEqual([]);
  });

  test('components have different names without case and punctuation, of which generators make names of types', () => {
    for (const [section, components] of Object.entries(document.components)) {
      const names = Object.keys(components).map((name) => name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase());
      const repeated = names.filter((name, position) => names.indexOf(name) !== position);
      expect([section, repeated]).toEqual([section, []]);
    }
  });

  test('equals the committed document', () => {
    expectCurrent(committedFile, documentText(document));
  });

  test('generates the committed types and schemas of the client', () => {
    expectCurrent(clientTypesFile, clientTypes(document));
    expectCurrent(rxdbSchemasFile, rxdbSchemasModule(document));
  });

  test('has exactly the operations of the routes, and none for HEAD, which each GET has', () => {
    const declared = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(
        ([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`,
      ),
    );
    const served = routes.map(
      ({ contract: { method, path, operation } }) => `${method} ${path} ${operation}`,
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
          (!types.includes('integer') ||
            ('maximum' in schema && 'minimum' in schema) ||
            /limit/i.test(place)));
      return !isBounded;
    });
    expect(unbounded.map(([place]) => place)).toEqual([]);
    const bodies = Object.entries(document.components.schemas).filter(([name]) =>
      /^New|Changes$|Options$/.test(name),
    );
    // Two for each resource, and one for each action that takes fields of its own.
    const actions = routes.filter(({ contract }) => contract.path.includes('{id}/') && contract.body);
    expect(bodies).toHaveLength(2 * schemaResources.length + actions.length);
    for (const [, schema] of bodies) expect(schema.additionalProperties).toBe(false);
  });

  test('the docs of each resource have an example and a description of each of its fields', () => {
    for (const { kind, plural, fieldNames } of routes.flatMap(({ contract }) => contract.resource ?? [])) {
      const file = `functions/${plural}/resource-docs.ts`;
      expectComplete(Object.keys(docsOf({ kind }).example), fieldNames, {
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
      return all.map((one) => [place, fits(`${place}/schema`, one)]);
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
});

test('sentences name a resource of two words in words, and code in them does not', () => {
  const operation = {
    operationId: 'listTimeEntries',
    summary: 'List time-entries',
    description: 'Returns each timeEntry. It is of `time-entries`.',
    properties: { description: { description: 'Of a timeEntry.' } },
  };
  expect(inWords(operation, ['tasks', 'task', 'time-entries', 'timeEntry'])).toEqual({
    operationId: 'listTimeEntries',
    summary: 'List time entries',
    description: 'Returns each time entry. It is of `time-entries`.',
    properties: { description: { description: 'Of a time entry.' } },
  });
});

describe('event schemas', () => {
  /** Rejects undeclared fields. Later versions may have more. */
  const closed = (schema: Schema): Schema => ({
    ...schema,
    ...(schema.properties && { additionalProperties: false, properties: closedAll(schema.properties) }),
    ...(schema['$defs'] !== undefined && { $defs: closedAll(schema['$defs'] as Record<string, Schema>) }),
  });
  const closedAll = (all: Readonly<Record<string, Schema>>): Record<string, Schema> =>
    Object.fromEntries(Object.entries(all).map(([name, one]) => [name, closed(one)]));

  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const validate = ajv.compile(closed(eventSchemas()));

  /** Returns the events of a creation, an update, a deletion and a restore of an entity. */
  function eventsOf(resource: Resource): CloudEvent[] {
    const nowMs = Date.now();
    const { example } = docsOf(resource);
    const writable = Object.entries(example).filter(
      ([name]) => !(readOnlyFields as readonly string[]).includes(name),
    );
    const created = buildCreate(resource.kind, Object.fromEntries(writable) as Fields, nowMs);
    const updated = buildUpdate(created.after, { name: 'Another', status: 'another' }, nowMs);
    const deleted = buildDeletion(updated.after, newDeletion(updated.after, undefined, nowMs));
    const restored = buildRestore(deleted.after, {}, nowMs);
    return [created, updated, deleted, restored].flatMap((change) => {
      const { kind } = resource;
      const writes = recordWrites('@acme', [change], { positions: new Map([[kind, 7]]), time: nowMs });
      return toEvents({ tenant: '@acme', kind }, decodeRecord(writes.get(kind)?.put as Item));
    });
  }

  const resources = [...new Set(routes.flatMap(({ contract }) => contract.resource ?? ([] as Resource[])))];
  const events = resources.flatMap(eventsOf);

  test('every change of every kind has an event that the schema describes, with nothing else', () => {
    const types = resources.flatMap(({ kind }) => Object.values(eventNames).map((name) => `${kind}.${name}`));
    expect(events.map(({ type }) => type).sort()).toEqual(types.sort());
    expect(Object.keys(eventSchemas()['$defs'] as object).sort()).toEqual(types);
    expect(events.filter((event) => !validate(event))).toEqual([]);
    expect(validate({ ...events[0], type: 'task.moved' })).toBe(false);
    expect(new Set(events.map(({ sequence }) => sequence))).toEqual(new Set(['000000000000007']));
  });
});

describe('list parameters', () => {
  const resources: readonly Resource[] = [
    ...new Set(routes.flatMap(({ contract }) => contract.resource ?? ([] as Resource[]))),
  ];
  const document = openApiDocument();

  test.each([
    ['/v1/tasks', listOptions],
    ['/v1/tasks/changes', changesOptions],
  ])('the document describes each option of %s', (path, options) => {
    const described = (document.paths[path]?.['get']?.parameters ?? [])
      .map((one) => ('$ref' in one ? document.components.parameters[one.$ref.split('/').at(-1) ?? ''] : one))
      .filter((parameter) => parameter?.in === 'query' && !parameter.deprecated)
      .map((parameter) => parameter?.name ?? '')
      .filter((name) => !name.includes('[') && !task.fieldNames.includes(name));
    expectComplete(described, options, {
      missing: 'Describe it in lib/openapi/list-parameters.ts.',
      unneeded: 'Read it in functions/http/parse-list-query.ts.',
    });
  });

  /** Returns the example in the description of a parameter, or a query with its first value. */
  function exampleOf({ name, description, schema }: Parameter): string {
    const [, example] = /For example, `(.*)`\.$/.exec(description) ?? [];
    return (
      example ?? `${name}=${(schema.items ?? schema).enum?.[0] ?? (schema.type === 'boolean' ? 'true' : 'x')}`
    );
  }

  describe.each(resources.map((resource) => [resource.plural, resource] as const))('%s', (_, resource) => {
    test('the service accepts every parameter with its example', () => {
      for (const [name, parameter] of listParameters(resource)) {
        expect([name, readListQuery(resource, exampleOf(parameter))]).toEqual([name, expect.anything()]);
      }
    });

    test('a read of one entity expands what lists expand, and then has no ETag', () => {
      const all = Object.keys(resource.expansions);
      expect(expandParameterNames(resource)).toEqual(all.length > 0 ? [`${resource.plural}.expand`] : []);
      if (all.length > 0) {
        const { expansions } = readEntityView(resource, `expand=${all.join(',')}`);
        expect(expansions.map(({ name }) => name)).toEqual(all);
      }
      const response = document.paths[`/v1/${resource.plural}/{id}`]?.['get']?.responses['200'];
      expect(response).toMatchObject({
        headers: { ETag: { $ref: `#/components/headers/${all.length > 0 ? 'Expandable-ETag' : 'ETag'}` } },
      });
    });
  });
});
