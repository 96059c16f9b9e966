import type { Resource } from '#functions/contract/resource.ts';
import {
  changesOptions,
  listOptions,
  readEntityView,
  readListQuery,
} from '#functions/http/parse-list-query.ts';
import { routes } from '#functions/routes.ts';
import { tag } from '#functions/tags/resource.ts';
import { task } from '#functions/tasks/resource.ts';
import { openApiDocument } from '#lib/openapi/document.ts';
import { expandParameterNames, listParameters } from '#lib/openapi/list-parameters.ts';
import { resourceDocs } from '#lib/openapi/resources.ts';
import type { Parameter } from '#lib/openapi/types.ts';
import { expectComplete } from '#test/support/complete.ts';

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
