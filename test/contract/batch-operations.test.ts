import { type BatchResult, createMany, resultsOf, sendBatch, times, unknownId } from './batches.ts';
import { expectProblem, type Problem, pointers } from './problem.ts';
import {
  create,
  etagOf,
  identifiers,
  type Kind,
  pathTo,
  type Resource,
  read,
  readList,
  resourceOf,
  resources,
  stateOf,
} from './resources.ts';
import {
  eventually,
  inParallel,
  type Json,
  type JsonObject,
  request,
  type TestResponse,
  unique,
  withQuery,
} from './service.ts';

/** `POST /v1/{collection}/batch`: up to 25 creations, updates and deletions, all or nothing. */

/** Asserts an error whose pointers all begin with the place. */
function expectFailure(response: TestResponse, status: number, place: string): Problem {
  const problem = expectProblem(response, status, [place]);
  const found = pointers(problem);
  expect(found.length).toBeGreaterThan(0);
  for (const pointer of found) expect(`${pointer}/`.startsWith(`${place}/`) ? place : pointer).toBe(place);
  return problem;
}

async function expectDeleted(kind: Kind, id: string): Promise<void> {
  expect([kind, (await request('GET', pathTo(kind, id))).status]).toEqual([kind, 404]);
}

describe.each(resources)('POST $path/batch', ({ kind, path, minimal, full, defaults }: Resource) => {
  test('creates, updates and deletes, and returns the results in order', async () => {
    const [changed, deleted] = [await create(kind), await create(kind)];
    const body = await full();
    const status = unique('s');
    const response = await sendBatch(kind, [
      { operation: 'create', body },
      { operation: 'update', id: changed.id, body: { status } },
      { operation: 'delete', id: deleted.id },
      { operation: 'create', body: await minimal() },
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const results = resultsOf(response);
    expect(results.map((result) => result.status)).toEqual([201, 200, 204, 201]);
    const [first, second, third, fourth] = results as [BatchResult, BatchResult, BatchResult, BatchResult];
    expect(first.body).toMatchObject(body);
    expect(second.body && stateOf(second.body)).toEqual({ ...stateOf(changed), status });
    expect(third).toEqual({ status: 204 });
    expect(fourth.body).toMatchObject(defaults);
    for (const result of [first, second, fourth]) {
      expect(Object.keys(result).sort()).toEqual(['body', 'etag', 'status']);
      const id = result.body?.id ?? '';
      expect(await read(kind, id)).toEqual(result.body);
      expect(await etagOf(kind, id)).toBe(result.etag);
    }
    await expectDeleted(kind, deleted.id);
  });

  test('shows its effects in lists at once', async () => {
    const status = unique('scope');
    const required = await minimal();
    const results = resultsOf(
      await sendBatch(
        kind,
        ['a', 'b', 'c'].map((name) => ({ operation: 'create', body: { ...required, name, status } })),
      ),
    );
    const ids = results.map(({ body }) => body?.id ?? '');
    const list = () => readList(withQuery(path, { status, sortBy: 'name', sortOrder: 'asc' }));
    expect(identifiers(await list())).toEqual(ids);
    resultsOf(
      await sendBatch(kind, [
        { operation: 'update', id: ids[0] ?? '', body: { name: 'z' } },
        { operation: 'delete', id: ids[1] ?? '' },
      ]),
    );
    expect(identifiers(await list())).toEqual([ids[2], ids[0]]);
    expect(await list()).toMatchObject({ total: 2 });
  });

  test('treats a body like POST and PATCH do: read-only fields are ignored, and an empty update changes nothing', async () => {
    const entity = await create(kind);
    const etag = await etagOf(kind, entity.id);
    const [updated, created] = resultsOf(
      await sendBatch(kind, [
        { operation: 'update', id: entity.id, body: {} },
        {
          operation: 'create',
          body: { ...(await minimal()), id: entity.id, createdAt: 'x', updatedAt: 'x' },
        },
      ]),
    );
    expect(updated).toEqual({ status: 200, etag, body: entity });
    expect(created?.body?.id).not.toBe(entity.id);
  });

  test('applies none of 4 operations when one of them fails', async () => {
    const [changed, deleted] = [await create(kind), await create(kind)];
    const status = unique('scope');
    const good: JsonObject[] = [
      { operation: 'create', body: { ...(await minimal()), status } },
      { operation: 'update', id: changed.id, body: { status } },
      { operation: 'delete', id: deleted.id },
    ];
    const failing: [number, JsonObject][] = [
      [400, { operation: 'create', body: { ...(await minimal()), name: '' } }],
      [400, { operation: 'create', body: { ...(await minimal()), unknownField: 1 } }],
      [400, { operation: 'update', id: (await create(kind)).id, body: { name: null } }],
      [404, { operation: 'update', id: unknownId, body: { status } }],
      [404, { operation: 'update', id: 'malformed', body: { status } }],
      [404, { operation: 'delete', id: unknownId }],
      [412, { operation: 'update', id: (await create(kind)).id, ifMatch: '"stale"', body: { status } }],
      [412, { operation: 'delete', id: (await create(kind)).id, ifMatch: '"stale"' }],
    ];
    for (const [expected, operation] of failing) {
      for (const place of [0, 2, 3]) {
        const operations = good.toSpliced(place, 0, operation);
        expectFailure(await sendBatch(kind, operations), expected, `/operations/${place}`);
      }
    }
    expect(await read(kind, changed.id)).toEqual(changed);
    expect(await read(kind, deleted.id)).toEqual(deleted);
    expect(await readList(withQuery(path, { status }))).toMatchObject({ data: [], total: 0 });
  });

  test('names the field of a body that is not valid', async () => {
    const operations = [
      { operation: 'create', body: await minimal() },
      { operation: 'create', body: { ...(await minimal()), status: 'not a status!' } },
    ];
    const problem = expectFailure(await sendBatch(kind, operations), 400, '/operations/1');
    expect(pointers(problem)).toEqual(['/operations/1/body/status']);
  });

  test('honours ifMatch of an update and a deletion', async () => {
    const [changed, deleted] = [await create(kind), await create(kind)];
    const name = unique('Renamed');
    const [updated, removed] = resultsOf(
      await sendBatch(kind, [
        { operation: 'update', id: changed.id, ifMatch: await etagOf(kind, changed.id), body: { name } },
        { operation: 'delete', id: deleted.id, ifMatch: await etagOf(kind, deleted.id) },
      ]),
    );
    expect(updated?.body).toMatchObject({ id: changed.id, name });
    expect(removed?.status).toBe(204);
  });

  test('returns the status of the first failing operation', async () => {
    const { id } = await create(kind);
    const failing: Record<number, JsonObject> = {
      400: { operation: 'create', body: { ...(await minimal()), name: '' } },
      404: { operation: 'delete', id: unknownId },
      412: { operation: 'delete', id, ifMatch: '"stale"' },
    };
    const good = { operation: 'create', body: await minimal() };
    for (const first of [400, 404, 412]) {
      for (const second of [400, 404, 412].filter((status) => status !== first)) {
        const operations = [good, failing[first] ?? {}, failing[second] ?? {}];
        const problem = expectProblem(await sendBatch(kind, operations), first);
        expect(pointers(problem)[0]).toMatch(/^\/operations\/1(?:\/|$)/);
      }
    }
  });

  test('returns 400 when two operations have the same id', async () => {
    const entity = await create(kind);
    const pairs: [JsonObject, JsonObject][] = [
      [
        { operation: 'update', id: entity.id, body: { status: 'a' } },
        { operation: 'update', id: entity.id, body: { status: 'b' } },
      ],
      [
        { operation: 'update', id: entity.id, body: { status: 'a' } },
        { operation: 'delete', id: entity.id },
      ],
      [
        { operation: 'delete', id: entity.id },
        { operation: 'delete', id: entity.id },
      ],
    ];
    for (const operations of pairs) expectFailure(await sendBatch(kind, operations), 400, '/operations/1');
    expect(await read(kind, entity.id)).toEqual(entity);
  });

  test('covers the whole batch by one Idempotency-Key', async () => {
    const key = unique('key');
    const status = unique('scope');
    const deleted = await create(kind);
    const operations = [
      { operation: 'create', body: { ...(await minimal()), status } },
      { operation: 'delete', id: deleted.id },
    ];
    const first = await sendBatch(kind, operations, { 'idempotency-key': key });
    resultsOf(first);
    const again = await sendBatch(kind, operations, { 'idempotency-key': key });
    expect([again.status, again.text, again.headers.get('idempotency-replayed')]).toEqual([
      200,
      first.text,
      'true',
    ]);
    expect((await readList(withQuery(path, { status }))).total).toBe(1);
    expectProblem(await sendBatch(kind, operations.slice(0, 1), { 'idempotency-key': key }), 422);
    expect((await readList(withQuery(path, { status }))).total).toBe(1);
  });

  test('allows 25 operations, and returns 400 for 26', async () => {
    const status = unique('scope');
    const operation = { operation: 'create', body: { ...(await minimal()), status } };
    const many = (length: number) => Array.from({ length }, () => operation);
    const problem = expectFailure(await sendBatch(kind, many(26)), 400, '/operations');
    expect(problem.detail).toMatch(/\b25\b/);
    expect((await readList(withQuery(path, { status }))).total).toBe(0);
    expect(resultsOf(await sendBatch(kind, many(25)))).toHaveLength(25);
    expect((await readList(withQuery(path, { status }))).total).toBe(25);
  });

  test('applies concurrent batches on the same entities without ifMatch, all of them', async () => {
    const entities = [await create(kind), await create(kind), await create(kind)];
    const responses = await inParallel(['a', 'b', 'c', 'd', 'e', 'f'], (status) =>
      sendBatch(
        kind,
        entities.map(({ id }) => ({ operation: 'update', id, body: { status } })),
      ),
    );
    for (const response of responses) {
      expect(resultsOf(response).map((result) => result.status)).toEqual([200, 200, 200]);
    }
    const now = await inParallel(entities, ({ id }) => read(kind, id));
    // Each batch is one transaction: the last one wrote all three.
    expect(new Set(now.map(({ status }) => status)).size).toBe(1);
  });
});

describe('a body of a batch that is not valid', () => {
  const id = unknownId;
  const rows: [Json, string][] = [
    [{}, '/operations'],
    [{ operations: null }, '/operations'],
    [{ operations: {} }, '/operations'],
    [{ operations: 'create' }, '/operations'],
    [{ operations: [] }, '/operations'],
    [{ operations: [null] }, '/operations/0'],
    [{ operations: ['create'] }, '/operations/0'],
    [{ operations: [[]] }, '/operations/0'],
    [{ operations: [{}] }, '/operations/0/operation'],
    [{ operations: [{ operation: 'upsert', body: {} }] }, '/operations/0/operation'],
    [{ operations: [{ operation: 'Create', body: { name: 'x' } }] }, '/operations/0/operation'],
    [{ operations: [{ operation: null }] }, '/operations/0/operation'],
    [{ operations: [{ operation: 'constructor' }] }, '/operations/0/operation'],
    [{ operations: [{ operation: 'create' }] }, '/operations/0/body'],
    [{ operations: [{ operation: 'create', body: null }] }, '/operations/0/body'],
    [{ operations: [{ operation: 'create', body: [] }] }, '/operations/0/body'],
    [{ operations: [{ operation: 'create', body: {} }] }, '/operations/0/body/name'],
    [{ operations: [{ operation: 'update', body: {} }] }, '/operations/0/id'],
    [{ operations: [{ operation: 'update', id: 1, body: {} }] }, '/operations/0/id'],
    [{ operations: [{ operation: 'update', id }] }, '/operations/0/body'],
    [{ operations: [{ operation: 'update', id, body: 'x' }] }, '/operations/0/body'],
    [{ operations: [{ operation: 'update', id, ifMatch: 1, body: {} }] }, '/operations/0/ifMatch'],
    [{ operations: [{ operation: 'delete' }] }, '/operations/0/id'],
    [{ operations: [{ operation: 'delete', id: null }] }, '/operations/0/id'],
    [{ operations: [{ operation: 'delete', id, body: {} }] }, '/operations/0/body'],
    [{ operations: [{ operation: 'delete', id, if_match: '"x"' }] }, '/operations/0/if_match'],
    [{ operations: [{ operation: 'create', body: { name: 'x' }, more: 1 }] }, '/operations/0/more'],
    [{ operations: [{ operation: 'create', body: { name: 'x' } }], more: 1 }, '/more'],
  ];

  test.each(rows)('returns 400 with a pointer for %j', async (body, pointer) => {
    const response = await request('POST', '/v1/tags/batch', { body });
    expect(pointers(expectProblem(response, 400, ['constructor']))).toContain(pointer);
  });

  test.each([null, [], 'x', 1])('returns 400 for %j', async (body) => {
    expectProblem(await request('POST', '/v1/tags/batch', { body }), 400);
  });

  test('returns 400 without a body and for malformed JSON, and 415 for another content type', async () => {
    const json = { 'content-type': 'application/json' };
    expectProblem(await request('POST', '/v1/tags/batch', { headers: json }), 400);
    expectProblem(await request('POST', '/v1/tags/batch', { rawBody: '{"operations":', headers: json }), 400);
    const text = { rawBody: '{"operations":[]}', headers: { 'content-type': 'text/plain' } };
    expectProblem(await request('POST', '/v1/tags/batch', text), 415);
  });

  test('takes no query parameter', async () => {
    const body = { operations: [{ operation: 'create', body: { name: 'x' } }] };
    expectProblem(await request('POST', '/v1/tags/batch?page=1', { body }), 400);
  });
});

describe('references in a batch', () => {
  test('return 400 with a pointer when no entity has the id', async () => {
    const name = unique('scope');
    const bodies: JsonObject[] = [{ projectId: unknownId }, { userId: unknownId }, { tagIds: [unknownId] }];
    for (const body of bodies) {
      const operations = [
        { operation: 'create', body: { name } },
        { operation: 'create', body: { ...body, name } },
      ];
      const [field = ''] = Object.keys(body);
      expectFailure(await sendBatch('task', operations), 400, `/operations/1/body/${field}`);
    }
    expect((await readList(withQuery('/v1/tasks', { name }))).total).toBe(0);
  });

  test('add entities to the lists of their parents and remove them at once', async () => {
    const [project, tag] = [await create('project'), await create('tag')];
    const moved = await create('task', { projectId: project.id, tagIds: [tag.id] });
    const [created] = resultsOf(
      await sendBatch('task', [
        { operation: 'create', body: { name: 'x', projectId: project.id, tagIds: [tag.id] } },
        { operation: 'update', id: moved.id, body: { projectId: null, tagIds: [] } },
      ]),
    );
    for (const path of [`${pathTo('project', project.id)}/tasks`, `${pathTo('tag', tag.id)}/tasks`]) {
      expect(await readList(path)).toMatchObject({ data: [created?.body], total: 1 });
    }
  });
});

describe('deletions in a batch', () => {
  test('remove what belongs to the entities, and references to them, as DELETE does', async () => {
    const organizations = [await create('organization'), await create('organization')];
    const kept = await create('organization');
    const [project, user] = [
      await create('project', { organizationId: organizations[0]?.id ?? '' }),
      await create('user', { organizationId: organizations[1]?.id ?? '' }),
    ];
    const task = await create('task', { projectId: project.id });
    const results = resultsOf(
      await sendBatch('organization', [
        ...organizations.map(({ id }) => ({ operation: 'delete', id })),
        { operation: 'update', id: kept.id, body: { status: 'kept' } },
      ]),
    );
    expect(results.map(({ status }) => status)).toEqual([204, 204, 200]);
    for (const { id } of organizations) await expectDeleted('organization', id);
    await eventually(async () => {
      await expectDeleted('project', project.id);
      await expectDeleted('task', task.id);
      expect(await read('user', user.id)).toMatchObject({ organizationId: null });
    });
    expect(await read('organization', kept.id)).toMatchObject({ status: 'kept' });
  });

  test('remove several tags of one task', async () => {
    const tags = await inParallel(['a', 'b', 'c'], (name) => create('tag', { name }));
    const ids = tags.map(({ id }) => id);
    const task = await create('task', { tagIds: ids });
    const operations = ids.slice(0, 2).map((id) => ({ operation: 'delete', id }));
    resultsOf(await sendBatch('tag', operations));
    await eventually(async () => expect((await read('task', task.id))['tagIds']).toEqual(ids.slice(2)));
  });

  test('of 5 projects with 40 tasks each finish, although they exceed one transaction', async () => {
    const projects = await createMany('project', times(5));
    const ids = projects.map(({ id }) => id);
    const tasks = Array.from({ length: 200 }, (_, number) => ({ projectId: ids[number % 5] ?? '' }));
    await createMany('task', tasks);
    resultsOf(
      await sendBatch(
        'project',
        ids.map((id) => ({ operation: 'delete', id })),
      ),
    );
    for (const id of ids) await expectDeleted('project', id);
    await eventually(async () => {
      for (const id of ids) expect((await readList(`${pathTo('project', id)}/tasks`)).total).toBe(0);
    });
  });
});

test('25 creations with long descriptions, 50 tags each and an Idempotency-Key fit one batch', async () => {
  const tags = await createMany('tag', times(50));
  const status = unique('scope');
  const description = 'Long. '.repeat(200).trim();
  const body = {
    ...(await resourceOf('task').full()),
    status,
    description,
    tagIds: tags.map(({ id }) => id),
  };
  const operations = Array.from({ length: 25 }, () => ({ operation: 'create', body }));
  const results = resultsOf(await sendBatch('task', operations, { 'idempotency-key': unique('key') }));
  expect(results).toHaveLength(25);
  for (const result of results) expect(result.body).toMatchObject(body);
  const list = await readList(withQuery('/v1/tasks', { status, limit: 100 }));
  // All have the same creation time at best: the order of creation is the order of ids.
  expect(identifiers(list).sort()).toEqual(results.map((result) => result.body?.id ?? '').sort());
});
