import { createMany, sendBatch, times, unknownId } from '../batches.ts';
import { expectProblem, pointers } from '../problem.ts';
import {
  create,
  type Entity,
  type Resource,
  read,
  readList,
  resources,
  someResources,
} from '../resources.ts';
import { type Json, type JsonObject, request, unique, withQuery } from '../service.ts';

/** Batches that fail: nothing is applied, and the problem points to everything that is wrong. */

describe.each(someResources)('POST $path/batch', (resource: Resource) => {
  const { kind, path, minimal } = resource;

  test('applies nothing if one operation fails', async () => {
    const [updated, deleted, other] = (await createMany(kind, times(3))) as [Entity, Entity, Entity];
    const [status, required, id] = [unique('scope'), await minimal(), other.id];
    const operations: JsonObject[] = [
      { operation: 'create', body: { ...required, status } },
      { operation: 'update', id: updated.id, body: { status } },
      { operation: 'delete', id: deleted.id },
    ];
    const failing: [number, JsonObject, string][] = [
      [400, { operation: 'create', body: { ...required, name: '' } }, 'body/name'],
      [400, { operation: 'create', body: { ...required, nmae: 'x' } }, 'body/nmae'],
      [400, { operation: 'create', body: { ...required, status: 'not a status!' } }, 'body/status'],
      [400, { operation: 'update', id, body: { name: null } }, 'body/name'],
      [404, { operation: 'update', id: unknownId, body: { status } }, 'id'],
      [404, { operation: 'update', id: 'malformed', body: { status } }, 'id'],
      [404, { operation: 'delete', id: unknownId }, 'id'],
      [404, { operation: 'delete', id: 'no id' }, 'id'],
      [412, { operation: 'update', id, ifMatch: '"stale"', body: { status } }, 'ifMatch'],
      [412, { operation: 'delete', id, ifMatch: '"stale"' }, 'ifMatch'],
    ];
    for (const [number, [expected, operation, place]] of failing.entries()) {
      // Each of them fails at each position for one of the resources.
      const position = (number + resources.indexOf(resource)) % 4;
      const response = await sendBatch(kind, operations.toSpliced(position, 0, operation));
      const problem = expectProblem(response, expected);
      expect(pointers(problem)).toEqual([`/operations/${position}/${place}`]);
      expect(problem.detail).toMatch(/^No operation was applied\. /);
    }
    for (const entity of [updated, deleted, other]) expect(await read(kind, entity.id)).toEqual(entity);
    expect(await readList(withQuery(path, { status }))).toMatchObject({ data: [], total: 0 });
  });

  test('has the status of the first of several failing operations, and the issues of all', async () => {
    const { id } = await create(kind);
    const required = await minimal();
    const failing: [number, string, JsonObject, string][] = [
      [400, 'invalid-request', { operation: 'create', body: { ...required, name: '' } }, 'body/name'],
      [404, 'not-found', { operation: 'update', id: unknownId, body: {} }, 'id'],
      [412, 'version-mismatch', { operation: 'update', id, ifMatch: '"x-1"', body: {} }, 'ifMatch'],
    ];
    for (const [number, [status, type]] of failing.entries()) {
      const rotated = [...failing.slice(number), ...failing.slice(0, number)];
      const operations = rotated.map(([, , operation]) => operation);
      const response = await sendBatch(kind, [{ operation: 'create', body: required }, ...operations]);
      const problem = expectProblem(response, status);
      expect(problem.type).toMatch(new RegExp(`#${type}$`));
      const places = rotated.map(([, , , place], position) => `/operations/${position + 1}/${place}`);
      expect(pointers(problem)).toEqual(places);
    }
  });

  test('returns 400 that names the operations that repeat an id', async () => {
    const entities = (await createMany(kind, times(3))) as [Entity, Entity, Entity];
    const [first, second, third] = entities.map(({ id }) => id) as [string, string, string];
    const response = await sendBatch(kind, [
      { operation: 'update', id: first, body: { status: 'a' } },
      { operation: 'update', id: second, body: { status: 'a' } },
      { operation: 'delete', id: third },
      { operation: 'create', body: await minimal() },
      { operation: 'update', id: first, body: { status: 'b' } },
      { operation: 'delete', id: second },
      { operation: 'delete', id: third },
    ]);
    const places = [4, 5, 6].map((position) => `/operations/${position}/id`);
    expect(pointers(expectProblem(response, 400))).toEqual(places);
    for (const entity of entities) expect(await read(kind, entity.id)).toEqual(entity);
  });
});

describe('a batch with missing references', () => {
  const name = unique('scope');
  const fields: JsonObject[] = [
    {},
    { projectId: unknownId },
    { userId: unknownId },
    { tagIds: [unknownId] },
    { projectId: unknownId, tagIds: [unknownId] },
  ];
  const creations = fields.map((field) => ({ operation: 'create', body: { ...field, name } }));
  const missing = { operation: 'update', id: unknownId, body: {} };

  test('returns 400 with pointers, and creates nothing', async () => {
    const problem = expectProblem(await sendBatch('task', [...creations, missing]), 400);
    expect(pointers(problem)).toEqual([
      '/operations/1/body/projectId',
      '/operations/2/body/userId',
      '/operations/3/body/tagIds/0',
      '/operations/4/body/projectId',
      '/operations/4/body/tagIds/0',
      '/operations/5/id',
    ]);
    expect(await readList(withQuery('/v1/tasks', { name }))).toMatchObject({ total: 0 });
  });

  test('returns 404 if a missing entity is the first failure', async () => {
    const problem = expectProblem(await sendBatch('task', [missing, ...creations.slice(4)]), 404);
    const places = ['0/id', '1/body/projectId', '1/body/tagIds/0'];
    expect(pointers(problem)).toEqual(places.map((place) => `/operations/${place}`));
  });
});

describe('a malformed batch', () => {
  const remove = { operation: 'delete', id: unknownId };

  test.each<[Json, string, RegExp]>([
    [null, '', /must be a JSON object/],
    [[], '', /must be a JSON object/],
    [{}, '/operations', /missing/],
    [{ operations: {} }, '/operations', /must be an array of operations/],
    [{ operations: [] }, '/operations', /must have 1 to 25 operations/],
    [{ operations: [remove], operation: 1 }, '/operation', /Did you mean "operations"/],
  ])('%j returns 400 that says where and why', async (body, pointer, detail) => {
    const problem = expectProblem(await request('POST', '/v1/tasks/batch', { body }), 400);
    expect(problem.errors).toEqual([{ pointer, detail: expect.stringMatching(detail) }]);
  });

  test.each<[place: string, detail: RegExp, operation: Json]>([
    ['', /must be a JSON object/, null],
    ['/operation', /missing/, { id: 'x' }],
    ['/operation', /must not be null/, { operation: null }],
    ['/operation', /must be one of create, update, delete/, { operation: 'constructor' }],
    ['/operation', /must be one of create, update, delete/, { operation: 'Create', body: { name: 'x' } }],
    ['/id', /missing/, { operation: 'update', body: {} }],
    ['/id', /must be a string/, { operation: 'delete', id: 1 }],
    ['/body', /missing/, { operation: 'update', id: 'x' }],
    ['/body', /must be a JSON object/, { operation: 'create', body: [] }],
    ['/body', /Allowed: operation, id, ifMatch/, { ...remove, body: {} }],
    ['/body/name', /missing/, { operation: 'create', body: {} }],
    [
      '/body/prority',
      /Did you mean "priority"/,
      { operation: 'update', id: unknownId, body: { prority: 'x' } },
    ],
    ['/if_match', /Did you mean "ifMatch"/, { ...remove, if_match: '"x"' }],
    ['/version', /Did you mean "ifMatch"/, { ...remove, version: '"x"' }],
    ['/ifMatch', /must be quoted/, { ...remove, ifMatch: '' }],
    ['/ifMatch', /must not be null/, { ...remove, ifMatch: null }],
    ['/ifMatch', /at most 100/, { ...remove, ifMatch: Array(101).fill('"x"').join() }],
  ])('returns 400 for an operation with an invalid %s: %s', async (place, detail, operation) => {
    const problem = expectProblem(
      await sendBatch('task', [{ operation: 'create', body: { name: 'x' } }, operation]),
      400,
    );
    const pointer = `/operations/1${place}`;
    expect(problem.errors).toEqual([{ pointer, detail: expect.stringMatching(detail) }]);
  });

  test('returns all issues of an operation at once', async () => {
    const operation = { operation: 'update', ifMatch: 1, body: { name: '' }, more: 1 };
    const problem = expectProblem(await sendBatch('task', [operation]), 400);
    const places = ['/ifMatch', '/more', '/id', '/body/name'].map((place) => `/operations/0${place}`);
    expect(pointers(problem).sort()).toEqual(places.sort());
  });

  test('returns at most 50 issues', async () => {
    const body = Object.fromEntries(Array.from({ length: 30 }, (_, field) => [`f${field}`, 1]));
    const operations = times(25, { operation: 'create', body });
    const problem = expectProblem(await sendBatch('tag', operations), 400, Object.keys(body));
    expect(problem.errors).toHaveLength(50);
  });
});
