import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { needsToken, scopeOf } from '#functions/contract/contract.ts';
import type { Resource } from '#functions/contract/resource.ts';
import {
  changesOptions,
  listOptions,
  readEntityView,
  readListQuery,
} from '#functions/http/parse-list-query.ts';
import { catalogue } from '#functions/http/problems.ts';
import { notFoundFile } from '#functions/http/static-page.ts';
import { eventNames } from '#functions/jobs/cloud-events.ts';
import { routes } from '#functions/routes.ts';
import { tag } from '#functions/tags/resource.ts';
import { task } from '#functions/tasks/resource.ts';
import { files } from '#lib/hosting/functions.ts';
import type { Service } from '#lib/local/service.ts';
import { clientTypes } from '#lib/openapi/client-types.ts';
import { clientTypesFile, committedFile, earlierDocument } from '#lib/openapi/committed-document.ts';
import { breakingChanges, isBreakingVersion } from '#lib/openapi/compare.ts';
import { documentText, openApiDocument } from '#lib/openapi/document.ts';
import { eventSchemas } from '#lib/openapi/event-schemas.ts';
import { expandParameterNames, listParameters } from '#lib/openapi/list-parameters.ts';
import { referenceDocument } from '#lib/openapi/reference-document.ts';
import { fieldDescriptions, resourceDocs } from '#lib/openapi/resources.ts';
import type { OpenApiDocument, Parameter, Schema } from '#lib/openapi/types.ts';
import { expectComplete, expectCurrent } from '#test/support/complete.ts';
import { type EventReceiver, startEventReceiver } from '#test/support/event-receiver.ts';
import { distinct, EveryChange } from '#test/support/every-change.ts';
import { startTestService } from '#test/support/local-service.ts';

describe('compare', () => {
  const document = openApiDocument();

  /** The operations that the tests change. Comparing all of them takes long. */
  const few: OpenApiDocument = {
    ...document,
    paths: Object.fromEntries(
      ['/v1/health', '/v1/projects/{id}/clone', '/v1/tags', '/v1/tags/{id}', '/v1/tasks'].map((path) => [
        path,
        document.paths[path] ?? {},
      ]),
    ),
  };

  type Change = (copy: object) => void;
  type Place = readonly (string | number)[];

  const inside = (copy: object, place: Place): Record<string | number, unknown> =>
    place.reduce(
      (value: object, key) => (value as Record<string | number, object>)[key] ?? {},
      copy,
    ) as never;

  const put =
    (place: Place, value: unknown): Change =>
    (copy) => {
      inside(copy, place.slice(0, -1))[place.at(-1) ?? ''] = value;
    };

  const drop =
    (place: Place): Change =>
    (copy) => {
      const parent = inside(copy, place.slice(0, -1));
      if (Array.isArray(parent)) parent.splice(Number(place.at(-1)), 1);
      else delete parent[place.at(-1) ?? ''];
    };

  const move =
    (place: Place, name: string): Change =>
    (copy) => {
      put([...place.slice(0, -1), name], inside(copy, place))(copy);
      drop(place)(copy);
    };

  function changed(change: Change): OpenApiDocument {
    // A deep copy, as if read from a file.
    const copy = JSON.parse(JSON.stringify(few)) as OpenApiDocument;
    change(copy);
    return copy;
  }

  test('has no breaking change since the last two commits, unless the version announces it', () => {
    const bases = [committedFile, 'HEAD', 'HEAD^'].flatMap((base) => earlierDocument(base) ?? []);
    expect(bases.length).toBeGreaterThan(0);
    for (const base of bases) {
      if (!isBreakingVersion(base, document)) expect(breakingChanges(base, document)).toEqual([]);
    }
  });

  test('the major version, or the minor version after 0, announces breaking changes', () => {
    const at = (version: string) => changed(put(['info', 'version'], version));
    expect(isBreakingVersion(at('0.1.0'), at('0.1.9'))).toBe(false);
    expect(isBreakingVersion(at('0.1.0'), at('0.2.0'))).toBe(true);
    expect(isBreakingVersion(at('1.1.0'), at('1.2.0'))).toBe(false);
    expect(isBreakingVersion(at('1.9.0'), at('2.0.0'))).toBe(true);
  });

  const paths = (path: string, ...rest: Place): Place => ['paths', path, ...rest];
  const sent = (...rest: Place): Place => ['components', 'schemas', 'NewTask', ...rest];
  const received = (...rest: Place): Place => ['components', 'schemas', 'Task', ...rest];
  const parameter = (...rest: Place): Place => ['components', 'parameters', ...rest];

  /** Each change with the breaking change that is reported for it, and for its reversal. */
  const changes: readonly [string, Change, RegExp?, RegExp?][] = [
    ['removed operation', drop(paths('/v1/tags/{id}', 'put')), /^PUT \/v1\/tags\/\{id\} is removed$/],
    ['removed path', drop(paths('/v1/health')), /GET \/v1\/health is removed/],
    [
      'renamed operation',
      put(paths('/v1/health', 'get', 'operationId'), 'x'),
      /now named x/,
      /now named checkHealth/,
    ],
    [
      'removed parameter',
      drop(paths('/v1/tags', 'get', 'parameters', 0)),
      /no longer accepts the parameter query page/,
    ],
    [
      'required parameter',
      put(parameter('ifMatch', 'required'), true),
      /requires the parameter header if-match/,
    ],
    [
      'removed request value',
      drop(parameter('tags.sortBy', 'schema', 'items', 'enum', 0)),
      /sortby no longer accepts the enum id/,
    ],
    [
      'one value instead of several',
      (copy) => {
        put(
          parameter('tags.sortBy', 'schema'),
          document.components.parameters['tags.sortBy']?.schema.items,
        )(copy);
        drop(parameter('tags.sortBy', 'explode'))(copy);
      },
      /sortby no longer accepts several values/,
    ],
    ['fewer values', put(parameter('tags.status.in', 'schema', 'maxItems'), 5), /maxItems 5 instead of 100/],
    [
      'other success status',
      move(paths('/v1/tags', 'post', 'responses', 201), '202'),
      /no longer responds with 201\n.*can now respond with 202/,
      /no longer responds with 202\n.*can now respond with 201/,
    ],
    [
      'redirect, which breaks only when it is removed',
      put(paths('/v1/tags', 'get', 'responses', 308), { description: 'x', headers: {} }),
      /^$/,
      /no longer responds with 308/,
    ],
    [
      'removed header',
      drop(paths('/v1/tags', 'post', 'responses', 201, 'headers', 'ETag')),
      /lack the header ETag/,
    ],
    [
      'other media type',
      move(paths('/v1/tags', 'get', 'responses', 200, 'content', 'application/json'), 'text/csv'),
      /no longer responds with application\/json/,
      /no longer responds with text\/csv/,
    ],
    [
      'required body',
      put(paths('/v1/projects/{id}/clone', 'post', 'requestBody', 'required'), true),
      /requires a body/,
    ],
    [
      'other scope',
      put(paths('/v1/tags', 'get', 'security'), [{ token: ['x'] }]),
      /now requires the scope x/,
      /now requires the scope tags:read/,
    ],
    ['removed request field', drop(sent('properties', 'priority')), /priority is removed/],
    ['required request field', put(sent('required'), ['name', 'dueDate']), /dueDate is now required/],
    [
      'shorter text',
      put(sent('properties', 'description', 'maxLength'), 99),
      /maxLength 99 instead of 10000/,
    ],
    ['other pattern', put(sent('properties', 'status', 'pattern'), '^a'), /pattern \^a/, /pattern/],
    [
      'null no longer accepted',
      put(sent('properties', 'dueDate', 'type'), 'string'),
      /no longer accepts the type null/,
    ],
    ['fewer items', put(sent('properties', 'tagIds', 'maxItems'), 5), /maxItems 5 instead of 50/],
    [
      'other item type',
      put(sent('properties', 'tagIds', 'items', 'type'), 'integer'),
      /tagIds\/\* no longer accepts the type string/,
      /tagIds\/\* no longer accepts the type integer/,
    ],
    ['removed response field', drop(received('properties', 'priority')), /response.*priority is removed/],
    ['optional response field', drop(received('required', 0)), /id can now be absent/],
    [
      'null in responses',
      put(received('properties', 'priority', 'type'), ['string', 'null']),
      /can now have the type null/,
    ],
    [
      'longer text in responses',
      put(received('properties', 'description', 'maxLength'), 99_999),
      /maxLength 99999/,
    ],
    [
      'more alternatives in responses',
      put(['components', 'schemas', 'TagList', 'properties', 'data', 'items', 'anyOf', 2], {}),
      /data\/\* has more alternatives/,
    ],
    ['added response value', put(received('properties', 'priority', 'enum', 5), 'x')],
    ['other description', put(['info', 'description'], 'x')],
  ];

  for (const [title, change, expected = /^$/, expectedReversal = /^$/] of changes) {
    test(title, () => {
      const other = changed(change);
      expect(breakingChanges(few, other).join('\n')).toMatch(expected);
      expect(breakingChanges(other, few).join('\n')).toMatch(expectedReversal);
    });
  }
});

describe('document', () => {
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
      Object.entries(item).map(
        ([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`,
      ),
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
});

describe('event schemas', () => {
  /** The schema of events, and the events of a service. */

  let receiver: EventReceiver;
  let service: Service;

  beforeAll(async () => {
    receiver = await startEventReceiver();
    service = await startTestService({ eventsAddress: receiver.url });
  });

  afterAll(async () => {
    await service.stop();
    await receiver.stop();
  });

  /** Rejects undeclared fields. Later versions may have more. */
  const closed = (schema: Schema): Schema => ({
    ...schema,
    ...(schema.properties && {
      additionalProperties: false,
      properties: Object.fromEntries(
        Object.entries(schema.properties).map(([name, property]) => [name, closed(property)]),
      ),
    }),
    ...(schema['$defs'] !== undefined && {
      $defs: Object.fromEntries(
        Object.entries(schema['$defs'] as Record<string, Schema>).map(([name, one]) => [name, closed(one)]),
      ),
    }),
  });

  function validator() {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    (formats as unknown as (to: Ajv2020) => void)(ajv);
    return ajv.compile(closed(eventSchemas()));
  }

  test('the service serves the schema of each type', async () => {
    const served = await fetch(`${service.url}/docs/events.json`);
    expect(served.headers.get('content-type')).toContain('application/json');
    const schema = (await served.json()) as Schema;
    expect(schema).toEqual(eventSchemas());
    const kinds = Object.keys(resourceDocs);
    const types = kinds.flatMap((kind) => Object.values(eventNames).map((name) => `${kind}.${name}`));
    expect(Object.keys(schema['$defs'] as object).sort()).toEqual(types.sort());
  });

  test('every change of every kind has an event that the schema describes, with nothing else', async () => {
    const changes = new EveryChange(service.url);
    await changes.make();
    const isComplete = (): boolean => distinct(receiver.events).length >= changes.expected.length;
    while (!isComplete()) await delay(50);
    expect(distinct(receiver.events)).toEqual(distinct(changes.expected));
    const validate = validator();
    const invalid = receiver.events.flatMap((event) =>
      validate(event) ? [] : [{ event, errors: validate.errors }],
    );
    expect(invalid).toEqual([]);
  });

  test('the schema refuses other events', () => {
    const validate = validator();
    const [event] = receiver.events;
    expect(validate(event)).toBe(true);
    expect(validate({ ...event, type: 'task.moved' })).toBe(false);
    expect(validate({ ...event, data: { version: 1 } })).toBe(false);
    expect(validate({ ...event, data: { version: 0, isCut: true } })).toBe(false);
    expect(validate({ ...event, data: { version: 1, isCut: true } })).toBe(true);
  });
});

describe('list parameters', () => {
  const resources: readonly Resource[] = [
    ...new Set(routes.flatMap(({ contract }) => contract.resource ?? ([] as Resource[]))),
  ];
  const ofTasks = listParameters(task);
  const document = openApiDocument();

  test('has the options, then exact filters, then operators, then aliases', () => {
    const ofTags = [...listParameters(tag).values()].map(({ name }) => name);
    expect(ofTags.slice(0, 6)).toEqual(['sortBy', 'sortOrder', 'fields', 'expand', 'countBy', 'etags']);
    expect(ofTags.slice(6, 14)).toEqual(tag.fieldNames);
    expect(ofTags.slice(14, -2).every((name) => /^\w+\[\w+\]$/.test(name))).toBe(true);
    expect(ofTags.slice(-2)).toEqual(['sort_by', 'sort_order']);
  });

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

  test('names operators without brackets among the components', () => {
    expect(ofTasks.get('tasks.dueDate.lt')).toEqual({
      name: 'dueDate[lt]',
      in: 'query',
      description: '`dueDate` is earlier than this value. For example, `dueDate[lt]=2026-03-20`.',
      schema: { type: 'string', format: 'date', maxLength: 10 },
    });
  });

  test('separates several values by commas, and bounds their number', () => {
    expect(ofTasks.get('tasks.tagIds.all')).toMatchObject({
      name: 'tagIds[all]',
      description: expect.stringContaining('`tagIds` contains all of these ids.'),
      style: 'form',
      explode: false,
      schema: { type: 'array', minItems: 1, maxItems: 100, items: { 'x-reference': 'tag' } },
    });
    expect(ofTasks.get('tasks.sortBy')).toMatchObject({
      explode: false,
      schema: { maxItems: 3, default: ['createdAt'], items: { enum: expect.arrayContaining(['priority']) } },
    });
    expect(ofTasks.get('tasks.expand')?.schema.items?.enum).toEqual(['project', 'user', 'tags']);
  });

  test('has no example that the reference page would send with every request', () => {
    expect([...ofTasks.values()].filter(({ example }) => example !== undefined)).toEqual([]);
  });

  test('closes an enumeration for comparisons only, because an unknown value otherwise matches nothing', () => {
    expect(ofTasks.get('tasks.priority.gte')?.schema).toEqual({
      type: 'string',
      enum: ['none', 'low', 'medium', 'high', 'urgent'],
    });
    expect(ofTasks.get('tasks.priority.in')?.schema.items).not.toHaveProperty('enum');
    expect(ofTasks.get('tasks.dueDate.isNull')?.schema).toEqual({ type: 'boolean' });
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

    test('the service accepts the query in the description of its list', () => {
      const { query } = resourceDocs[resource.kind].list;
      const list = document.paths[`/v1/${resource.plural}`]?.['get'];
      expect(list?.description).toContain(`GET /v1/${resource.plural}?${query}`);
      expect(readListQuery(resource, query).query.filters.length).toBeGreaterThan(0);
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

  test('lists have the total in a header, also without content', () => {
    for (const [method, status] of [
      ['get', '200'],
      ['get', '304'],
      ['head', '200'],
      ['head', '304'],
    ] as const) {
      expect(document.paths['/v1/users/{id}/tasks']?.[method]?.responses[status]).toMatchObject({
        headers: { 'X-Total-Count': { $ref: '#/components/headers/X-Total-Count' } },
      });
    }
  });

  test('the entities of a list are whole or, with fields, only sure to have an id', () => {
    const { schemas } = document.components;
    expect(schemas['TaskList']?.properties?.['data']?.items).toEqual({
      anyOf: [{ $ref: '#/components/schemas/Task' }, { $ref: '#/components/schemas/PartialTask' }],
    });
    expect(schemas['PartialTask']?.required).toEqual(['id']);
    expect(schemas['Task']?.required).toEqual(task.fieldNames);
    expect(schemas['Task']?.properties?.['project']).toMatchObject({
      anyOf: [{ $ref: '#/components/schemas/ExpandedProject' }, { type: 'null' }],
    });
    expect(Object.keys(schemas['TaskList']?.properties?.['counts']?.properties ?? {})).toEqual([
      'status',
      'priority',
      'projectId',
      'userId',
      'dueDate',
      'tagIds',
      'position',
    ]);
  });
});

describe('samples', () => {
  const root = join(__dirname, '../../..');
  const reference = referenceDocument(JSON.parse(readFileSync(committedFile, 'utf8')) as OpenApiDocument);

  function sample(path: string, method: string, label: string): string {
    const found = reference.paths[path]?.[method]?.['x-codeSamples']?.find((one) => one.label === label);
    return found?.source ?? '';
  }

  /** The samples of one write, whose body and headers need quotes in every language. */
  const update = (label: string) => sample('/v1/projects/{id}', 'patch', label);

  const id = '019b2f4e-8e02-7c44-9f0a-2b6d5c3e1f78';

  test('curl', () => {
    expect(update('curl')).toBe(`curl -X PATCH 'https://api.example.com/v1/projects/${id}' \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'If-Match: "7a2c4d8f0e36-3"' \\
  -H 'Content-Type: application/json' \\
  -d '{"status":"planned","dueDate":null}'`);
  });

  test('TypeScript', () => {
    expect(update('TypeScript')).toBe(`import { createClient } from 'project-management-client';

const client = createClient({
  url: 'https://api.example.com',
  token: process.env.TOKEN,
});
const found = await client.projects.get('${id}');
const changed = await client.projects.update(found, { status: 'planned', dueDate: null });`);
  });

  test('Swift', () => {
    expect(update('Swift')).toBe(`import Foundation

var request = URLRequest(url: URL(string: "https://api.example.com/v1/projects/${id}")!)
request.httpMethod = "PATCH"
request.setValue("Bearer \\(TOKEN)", forHTTPHeaderField: "Authorization")
request.setValue("\\"7a2c4d8f0e36-3\\"", forHTTPHeaderField: "If-Match")
request.setValue("application/json", forHTTPHeaderField: "Content-Type")
request.httpBody = Data(#"""
  {
    "status": "planned",
    "dueDate": null
  }
  """#.utf8)

let (data, response) = try await URLSession.shared.data(for: request)
print((response as! HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))`);
  });

  test('Kotlin', () => {
    expect(update('Kotlin')).toBe(`import okhttp3.MediaType.Companion.toMediaType
import okhttp3.OkHttpClient
import okhttp3.Request
import okhttp3.RequestBody.Companion.toRequestBody

val body = """
  {
    "status": "planned",
    "dueDate": null
  }
""".trimIndent()
val request = Request.Builder()
  .url("https://api.example.com/v1/projects/${id}")
  .header("Authorization", "Bearer $TOKEN")
  .header("If-Match", "\\"7a2c4d8f0e36-3\\"")
  .patch(body.toRequestBody("application/json".toMediaType()))
  .build()
OkHttpClient().newCall(request).execute().use { println(it.code); println(it.body?.string()) }`);
  });

  test('Python', () => {
    expect(update('Python')).toBe(`import requests

response = requests.patch(
    "https://api.example.com/v1/projects/${id}",
    headers={
        "Authorization": f"Bearer {TOKEN}",
        "If-Match": "\\"7a2c4d8f0e36-3\\"",
    },
    json={
        "status": "planned",
        "dueDate": None
    },
)
print(response.status_code, response.text)`);
  });

  test('lists have the typical query of the resource', () => {
    expect(sample('/v1/tags', 'get', 'curl')).toMatch(
      /^curl -G '\S+\/v1\/tags'[\s\S]* -d 'sortBy=color,name'/,
    );
    expect(sample('/v1/tasks', 'get', 'TypeScript')).toContain(
      "status: { notIn: ['completed', 'archived'] }",
    );
  });

  test('all samples in TypeScript compile with the client of this project', async () => {
    const folder = mkdtempSync(join(root, 'test/unit/lib/samples-'));
    try {
      const operations = Object.values(reference.paths).flatMap((item) => Object.values(item));
      for (const { operationId, 'x-codeSamples': samples = [] } of operations) {
        const source = samples.find(({ label }) => label === 'TypeScript')?.source ?? '';
        writeFileSync(
          join(folder, `${operationId}.ts`),
          source.replace('project-management-client', '../../../../client/index.ts'),
        );
      }
      const compilerOptions = {
        ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
        ...{
          target: 'es2023',
          module: 'esnext',
          moduleResolution: 'bundler',
          types: ['node'],
          moduleDetection: 'force',
        },
      };
      const project = join(folder, 'tsconfig.json');
      writeFileSync(project, JSON.stringify({ compilerOptions, include: ['*.ts'] }));
      const compiler = join(root, 'node_modules/typescript/bin/tsc');
      await promisify(execFile)(process.execPath, [compiler, '-p', project]).catch(({ stdout }) => {
        throw new Error(stdout as string);
      });
      expect(operations.length).toBeGreaterThan(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
