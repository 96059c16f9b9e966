import { createMany, resultsOf, sendBatch, times, unknownId } from './batches.ts';
import { expectProblem, type Problem, pointers } from './problem.ts';
import {
  create,
  type Entity,
  etagOf,
  pathTo,
  read,
  readList,
  resources,
  sharedId,
  stateOf,
} from './resources.ts';
import {
  eventually,
  inParallel,
  type JsonObject,
  request,
  type TestResponse,
  unique,
  withQuery,
} from './service.ts';

/** Batches: several operations that are all applied, or none. */

const statusesOf = (response: TestResponse): number[] => resultsOf(response).map(({ status }) => status);

describe.each(resources)('POST $path/batch', ({ kind, path, minimal, full, defaults, nullable }) => {
  test('creates, updates and deletes, and returns the results in the order of the operations', async () => {
    const [updated, deleted] = [await create(kind), await create(kind)];
    const body = await full();
    const response = await sendBatch(kind, [
      { operation: 'create', body: await minimal() },
      { operation: 'delete', id: deleted.id },
      { operation: 'update', id: updated.id, body: { status: 'changed' } },
      { operation: 'create', body },
    ]);
    const results = resultsOf(response);
    expect(results).toEqual([
      { status: 201, etag: expect.any(String), body: expect.objectContaining(defaults) },
      { status: 204 },
      { status: 200, etag: expect.any(String), body: expect.objectContaining({ id: updated.id }) },
      { status: 201, etag: expect.any(String), body: expect.objectContaining(body) },
    ]);
    expect(stateOf(results[2]?.body as Entity)).toEqual({ ...stateOf(updated), status: 'changed' });
    for (const { etag, body: shown } of results.filter(({ status }) => status !== 204)) {
      const stored = await request('GET', pathTo(kind, (shown as Entity).id));
      expect([stored.headers.get('etag'), stored.body]).toEqual([etag, shown]);
    }
    expect((await request('GET', pathTo(kind, deleted.id))).status).toBe(404);
  });

  test('applies nothing if one operation fails', async () => {
    const [updated, deleted] = [await create(kind), await create(kind)];
    const name = unique('never');
    const operations = [
      { operation: 'create', body: { ...(await minimal()), name } },
      { operation: 'update', id: updated.id, body: { status: 'changed' } },
      { operation: 'delete', id: deleted.id },
    ];
    const failing: [number, JsonObject, string][] = [
      [400, { operation: 'create', body: { nmae: 'x' } }, '/operations/3/body/nmae'],
      [404, { operation: 'update', id: unknownId, body: {} }, '/operations/3/id'],
      [404, { operation: 'delete', id: 'no id' }, '/operations/3/id'],
    ];
    for (const [status, operation, pointer] of failing) {
      const problem = expectProblem(await sendBatch(kind, [...operations, operation]), status, ['nmae']);
      expect(pointers(problem)).toContain(pointer);
      expect(problem.detail).toMatch(/^No operation was applied\. /);
    }
    expect(await read(kind, updated.id)).toEqual(updated);
    expect(await read(kind, deleted.id)).toEqual(deleted);
    expect(await readList(withQuery(path, { name }))).toMatchObject({ total: 0 });
  });

  test('returns 412 and applies nothing if an entity has another version', async () => {
    const [first, second] = [await create(kind), await create(kind)];
    const [stale, current] = [await etagOf(kind, first.id), await etagOf(kind, second.id)];
    const changed = await request('PATCH', pathTo(kind, first.id), { body: { status: 'changed' } });
    const problem = expectProblem(
      await sendBatch(kind, [
        { operation: 'update', id: second.id, ifMatch: current, body: { status: 'other' } },
        { operation: 'delete', id: first.id, ifMatch: stale },
      ]),
      412,
    );
    expect(pointers(problem)).toEqual(['/operations/1/ifMatch']);
    expect(await read(kind, second.id)).toEqual(second);
    const accepted = await sendBatch(kind, [
      { operation: 'update', id: second.id, ifMatch: `"x", ${current}`, body: { status: 'other' } },
      { operation: 'delete', id: first.id, ifMatch: changed.headers.get('etag') },
    ]);
    expect(statusesOf(accepted)).toEqual([200, 204]);
  });

  test('writes nothing for an update that changes nothing', async () => {
    const entity = await create(kind);
    const etag = await etagOf(kind, entity.id);
    const response = await sendBatch(kind, [
      { operation: 'update', id: entity.id, body: { name: entity.name } },
      { operation: 'create', body: await minimal() },
    ]);
    expect(resultsOf(response)[0]).toEqual({ status: 200, etag, body: entity });
    expect(await etagOf(kind, entity.id)).toBe(etag);
  });

  test('accepts and ignores read-only fields, and resets fields by null', async () => {
    const entity = await create(kind, await full());
    const reset = Object.fromEntries(nullable.map((field) => [field, null]));
    const response = await sendBatch(kind, [
      { operation: 'update', id: entity.id, body: { ...entity, ...reset, id: 'other', createdAt: 1 } },
    ]);
    const [result] = resultsOf(response);
    expect(stateOf(result?.body as Entity)).toEqual({ ...stateOf(entity), ...reset });
  });

  test('is applied once under an Idempotency-Key, and refuses the key for another batch', async () => {
    const key = { 'idempotency-key': unique('key') };
    const [entity, name] = [await create(kind), unique('once')];
    const operations: JsonObject[] = [
      { operation: 'create', body: { ...(await minimal()), name } },
      { operation: 'delete', id: entity.id },
    ];
    const first = await sendBatch(kind, operations, key);
    expect(statusesOf(first)).toEqual([201, 204]);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const second = await sendBatch(kind, operations, key);
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await readList(withQuery(path, { name }))).toMatchObject({ total: 1 });
    expectProblem(await sendBatch(kind, operations.slice(0, 1), key), 422);
    const withIfMatch = [operations[0] as JsonObject, { ...operations[1], ifMatch: '*' }];
    expectProblem(await sendBatch(kind, withIfMatch, key), 422);
  });
});

describe('a batch with several failing operations', () => {
  const missing = { operation: 'update', id: unknownId, body: {} };
  const invalid = { operation: 'create', body: { name: '' } };
  const alone = { operation: 'create', body: { name: 'x', projectId: unknownId, tagIds: [unknownId] } };

  test.each([
    [
      'a missing entity before an invalid body',
      404,
      [missing, invalid],
      ['/operations/0/id', '/operations/1/body/name'],
    ],
    [
      'an invalid body before a missing entity',
      400,
      [invalid, missing],
      ['/operations/0/body/name', '/operations/1/id'],
    ],
    [
      'a valid operation, a missing reference, then a missing entity',
      400,
      [{ operation: 'create', body: { name: 'x' } }, alone, missing],
      ['/operations/1/body/projectId', '/operations/1/body/tagIds/0', '/operations/2/id'],
    ],
    [
      'a missing entity before a missing reference',
      404,
      [missing, alone],
      ['/operations/0/id', '/operations/1/body/projectId', '/operations/1/body/tagIds/0'],
    ],
  ])('%s: has the status of the first one and the issues of all', async (_, status, operations, found) => {
    const problem = expectProblem(await sendBatch('task', operations), status);
    expect(pointers(problem)).toEqual(found);
  });

  test('has the type of a stale version if that is the first failure', async () => {
    const { id } = await create('tag');
    const stale = { operation: 'update', id, ifMatch: '"x-1"', body: {} };
    const problem = expectProblem(await sendBatch('tag', [stale, invalid]), 412);
    expect(problem.type).toMatch(/version-mismatch$/);
    expect(pointers(problem)).toEqual(['/operations/0/ifMatch', '/operations/1/body/name']);
  });

  test('returns at most 50 issues', async () => {
    const body = Object.fromEntries(Array.from({ length: 30 }, (_, field) => [`f${field}`, 1]));
    const operations = Array.from({ length: 25 }, () => ({ operation: 'create', body }));
    const problem = expectProblem(await sendBatch('tag', operations), 400, Object.keys(body));
    expect(problem.errors).toHaveLength(50);
  });
});

describe('a malformed batch', () => {
  const remove = { operation: 'delete', id: unknownId };

  test.each<[string, JsonObject, string, RegExp]>([
    ['without operations', {}, '/operations', /missing/],
    ['with null', { operations: null }, '/operations', /must not be null/],
    ['with an object', { operations: {} }, '/operations', /must be an array of operations/],
    ['with no operation', { operations: [] }, '/operations', /must have 1 to 25 operations/],
    [
      'with 26 operations',
      { operations: Array(26).fill(remove) },
      '/operations',
      /must have 1 to 25 operations/,
    ],
    [
      'with an unknown member',
      { operations: [remove], operation: 1 },
      '/operation',
      /Did you mean "operations"/,
    ],
    ['with a text', { operations: ['delete'] }, '/operations/0', /must be a JSON object/],
    ['with null as an operation', { operations: [null] }, '/operations/0', /must be a JSON object/],
    ['without the name of an operation', { operations: [{ id: 'x' }] }, '/operations/0/operation', /missing/],
    [
      'with an unknown operation',
      { operations: [{ operation: 'replace', id: 'x', body: {} }] },
      '/operations/0/operation',
      /must be one of create, update, delete/,
    ],
    [
      'with a prototype as an operation',
      { operations: [{ operation: 'constructor' }] },
      '/operations/0/operation',
      /must be one of/,
    ],
    ['without an id', { operations: [{ operation: 'delete' }] }, '/operations/0/id', /missing/],
    [
      'with a number as an id',
      { operations: [{ operation: 'delete', id: 1 }] },
      '/operations/0/id',
      /must be a string/,
    ],
    ['without a body', { operations: [{ operation: 'create' }] }, '/operations/0/body', /missing/],
    [
      'with null as a body',
      { operations: [{ operation: 'create', body: null }] },
      '/operations/0/body',
      /must not be null/,
    ],
    [
      'with an array as a body',
      { operations: [{ operation: 'create', body: [] }] },
      '/operations/0/body',
      /must be a JSON object/,
    ],
    [
      'with an id in a creation',
      { operations: [{ operation: 'create', id: unknownId, body: { name: 'x' } }] },
      '/operations/0/id',
      /Allowed: operation, body/,
    ],
    [
      'with a misspelled member',
      { operations: [{ ...remove, ifmatch: '*' }] },
      '/operations/0/ifmatch',
      /Did you mean "ifMatch"/,
    ],
    [
      'with a body in a deletion',
      { operations: [{ ...remove, body: {} }] },
      '/operations/0/body',
      /Allowed:/,
    ],
    [
      'with an unquoted tag',
      { operations: [{ ...remove, ifMatch: 'x' }] },
      '/operations/0/ifMatch',
      /must be quoted/,
    ],
    [
      'with an empty tag',
      { operations: [{ ...remove, ifMatch: '' }] },
      '/operations/0/ifMatch',
      /must be quoted/,
    ],
    [
      'with null as a tag',
      { operations: [{ ...remove, ifMatch: null }] },
      '/operations/0/ifMatch',
      /must not be null/,
    ],
    [
      'with 101 tags',
      { operations: [{ ...remove, ifMatch: Array(101).fill('"x"').join() }] },
      '/operations/0/ifMatch',
      /at most 100/,
    ],
    [
      'with a misspelled field',
      { operations: [{ operation: 'update', id: unknownId, body: { prority: 'high' } }] },
      '/operations/0/body/prority',
      /Did you mean "priority"/,
    ],
  ])('%s returns 400 that says where and why', async (_, body, pointer, detail) => {
    const response = await request('POST', '/v1/tasks/batch', { body });
    const problem = expectProblem(response, 400, ['constructor']);
    const found = problem.errors?.filter((issue) => issue.pointer === pointer) ?? [];
    expect([problem.errors, found]).toEqual([problem.errors, [expect.anything()]]);
    expect(found[0]?.detail).toMatch(detail);
  });

  test('returns 400 that names the second operation with an id', async () => {
    const { id } = await create('task');
    const response = await sendBatch('task', [
      { operation: 'update', id, body: { name: 'x' } },
      { operation: 'create', body: { name: 'x' } },
      { operation: 'delete', id },
    ]);
    expect(pointers(expectProblem(response, 400))).toEqual(['/operations/2/id']);
  });

  test('returns all issues of an operation at once', async () => {
    const operation = { operation: 'update', ifMatch: 1, body: { name: '' }, more: 1 };
    const problem = expectProblem(await sendBatch('task', [operation]), 400);
    const places = ['/ifMatch', '/more', '/id', '/body/name'].map((place) => `/operations/0${place}`);
    expect(pointers(problem).sort()).toEqual(places.sort());
  });

  test.each(['GET', 'DELETE'] as const)('%s /v1/tasks/batch takes "batch" as an id', async (method) => {
    expectProblem(await request(method, '/v1/tasks/batch'), 404);
  });
});

describe('limits of a batch', () => {
  const description = 'é'.repeat(10_000);

  test('25 entities with the longest descriptions are updated, and replayed from several items', async () => {
    const created = await inParallel(Array.from({ length: 25 }), () => create('tag', { description }));
    const key = { 'idempotency-key': unique('key') };
    const operations = created.map(({ id }) => ({ operation: 'update', id, body: { color: '#123456' } }));
    const first = await sendBatch('tag', operations, key);
    const results = resultsOf(first);
    expect(results.map(({ body }) => body?.['description'] === description)).toEqual(Array(25).fill(true));
    expect(Buffer.byteLength(first.text)).toBeGreaterThan(500_000);
    const second = await sendBatch('tag', operations, key);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.text === first.text).toBe(true);
    const removed = await sendBatch(
      'tag',
      created.map(({ id }) => ({ operation: 'delete', id })),
    );
    expect(statusesOf(removed)).toEqual(Array(25).fill(204));
  }, 60_000);

  test('a body of 256 KB is allowed, and a larger one returns 413', async () => {
    const operation = { operation: 'create', body: { name: 'x', description: 'x'.repeat(10_000) } };
    const operations = Array.from({ length: 25 }, () => operation);
    const bytes = (spaces: number) => JSON.stringify({ operations }) + ' '.repeat(spaces);
    const headers = { 'content-type': 'application/json' };
    const spaces = 262_144 - bytes(0).length;
    const allowed = await request('POST', '/v1/tags/batch', { rawBody: bytes(spaces), headers });
    expect(statusesOf(allowed)).toEqual(Array(25).fill(201));
    expectProblem(await request('POST', '/v1/tags/batch', { rawBody: bytes(spaces + 1), headers }), 413);
  });

  test('25 tasks with 50 tags each are created', async () => {
    const tags = await createMany('tag', times(50));
    const tagIds = tags.map(({ id }) => id);
    const operations = Array.from({ length: 25 }, () => ({
      operation: 'create',
      body: { name: 'x', tagIds },
    }));
    expect(statusesOf(await sendBatch('task', operations))).toEqual(Array(25).fill(201));
    expect(await readList(`/v1/tags/${tagIds[49]}/tasks`)).toMatchObject({ total: 25 });
  });
});

test('concurrent batches without ifMatch on the same entities all succeed', async () => {
  const created = await inParallel(Array.from({ length: 5 }), () => create('task'));
  const responses = await inParallel(Array.from({ length: 24 }), (_, number) =>
    sendBatch(
      'task',
      created.map(({ id }) => ({ operation: 'update', id, body: { name: `name ${number}` } })),
    ),
  );
  expect(responses.map(({ status }) => status)).toEqual(Array(24).fill(200));
  // Every batch has changed every entity once, and the last one has changed all of them.
  const stored = await inParallel(created, ({ id }) => request('GET', pathTo('task', id)));
  expect(stored.map(({ headers }) => headers.get('etag'))).toEqual(
    created.map(({ id }) => `"${id.slice(-12)}-25"`),
  );
  expect(new Set(stored.map(({ body }) => (body as Entity).name)).size).toBe(1);
});

describe('deletions in a batch', () => {
  test('remove several deleted tags from the tasks that have them', async () => {
    const tags = await inParallel(Array.from({ length: 3 }), () => create('tag'));
    const [first = '', second = '', kept = ''] = tags.map(({ id }) => id);
    const both = await create('task', { tagIds: [first, kept, second] });
    const one = await create('task', { tagIds: [second] });
    const response = await sendBatch('tag', [
      { operation: 'delete', id: first },
      { operation: 'update', id: kept, body: { name: 'kept' } },
      { operation: 'delete', id: second },
    ]);
    expect(statusesOf(response)).toEqual([204, 200, 204]);
    expect((await read('task', both.id))['tagIds']).toEqual([kept]);
    expect((await read('task', one.id))['tagIds']).toEqual([]);
  });

  test('delete the projects and tasks of several organizations, and keep their users', async () => {
    const organizations = await inParallel(Array.from({ length: 2 }), () => create('organization'));
    const owned = await inParallel(organizations, async ({ id }) => {
      const project = await create('project', { organizationId: id });
      const task = await create('task', { projectId: project.id });
      return { project, task, user: await create('user', { organizationId: id }) };
    });
    const operations = organizations.map(({ id }) => ({ operation: 'delete', id }));
    expect(statusesOf(await sendBatch('organization', operations))).toEqual([204, 204]);
    for (const { project, task, user } of owned) {
      expect((await request('GET', pathTo('project', project.id))).status).toBe(404);
      expect((await request('GET', pathTo('task', task.id))).status).toBe(404);
      expect((await read('user', user.id))['organizationId']).toBeNull();
    }
  });

  test('leave more dependents than fit in one transaction to jobs', async () => {
    const projects = await inParallel(Array.from({ length: 3 }), () => create('project'));
    for (const { id } of projects) {
      const body = { name: 'x', projectId: id };
      const operations = Array.from({ length: 25 }, () => ({ operation: 'create', body }));
      for (let batch = 0; batch < 2; batch += 1) {
        expect(statusesOf(await sendBatch('task', operations))).toEqual(Array(25).fill(201));
      }
    }
    const name = unique('beside');
    const organizationId = await sharedId('organization');
    const response = await sendBatch('project', [
      ...projects.map(({ id }) => ({ operation: 'delete', id })),
      { operation: 'create', body: { name, organizationId } },
    ]);
    expect(statusesOf(response)).toEqual([204, 204, 204, 201]);
    for (const { id } of projects) {
      expect((await request('GET', pathTo('project', id))).status).toBe(404);
      await eventually(async () => {
        expect(await readList(`/v1/projects/${id}/tasks`)).toMatchObject({ total: 0 });
      });
    }
  });
});

test('the problem of a batch explains itself', async () => {
  const response = await sendBatch('tag', [
    { operation: 'create', body: { name: 'x' } },
    { operation: 'delete', id: unknownId },
  ]);
  const problem: Problem = expectProblem(response, 404);
  expect(problem).toMatchObject({
    title: 'Not found',
    detail: 'No operation was applied. There is no tag with this id.',
    errors: [{ pointer: '/operations/1/id', detail: 'There is no tag with this id.' }],
  });
});
