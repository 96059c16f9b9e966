import { resultsOf, sendBatch } from './batches.ts';
import { expectProblem, pointers } from './problem.ts';
import {
  create,
  type Entity,
  entityOf,
  etagOf,
  pathTo,
  read,
  readList,
  repeatable,
  resources,
  someResources,
} from './resources.ts';
import { type JsonObject, ownId, request, type TestResponse, unique, withQuery } from './service.ts';

/** Entities whose ids their callers have made, for example while they were offline. */

const dayMs = 86_400_000;

const timeOf = (id: string): string =>
  new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toISOString();

function put(path: string, body: JsonObject, headers: Record<string, string> = {}): Promise<TestResponse> {
  return request('PUT', path, { body, headers: { 'if-none-match': '*', ...headers } });
}

/** Ids that no new entity may have, and the reason in the response. */
const refused: readonly (readonly [title: string, id: () => string, reason: RegExp])[] = [
  ['with capital letters', () => ownId().toUpperCase(), /lower case/],
  ['of another version', () => '9f1c9a52-0d5e-4b0a-9b55-8f3f0a6f7f11', /version 7/],
  ['of no form', () => 'mine', /version 7/],
  ['older than 30 days', () => ownId(30 * dayMs + 60_000), /more than 30 days old/],
  ['more than 60 seconds ahead', () => ownId(-90_000), /more than 60 seconds ahead/],
  ['of the last possible time', () => 'ffffffff-ffff-7fff-bfff-ffffffffffff', /more than 60 seconds ahead/],
];

describe.each(resources)('PUT $path/{id} with If-None-Match: *', ({ kind, path, full, minimal }) => {
  test('creates the entity with the id, whose time is createdAt', async () => {
    const id = ownId(5 * dayMs);
    const body = await full();
    const response = await put(pathTo(kind, id), body);
    const entity = entityOf(response, 201);
    expect(entity).toMatchObject({ ...body, id, createdAt: timeOf(id) });
    expect(Date.parse(entity.updatedAt)).toBeGreaterThan(Date.parse(entity.createdAt) + 4 * dayMs);
    expect(response.headers.get('location')).toBe(pathTo(kind, id));
    expect(response.headers.get('etag')).toBe(await etagOf(kind, id));
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await read(kind, id)).toEqual(entity);
    const list = await readList(withQuery(path, { name: String(body.name) }));
    expect([list.data, list.total]).toEqual([[entity], 1]);
  });

  test('is a 412 when the entity exists, and changes nothing', async () => {
    const entity = await create(kind);
    const response = await put(pathTo(kind, entity.id), { ...(await minimal()), name: 'another' });
    expect(expectProblem(response, 412, [entity.id]).detail).toContain('exists');
    expect(response.headers.get('etag')).toBe(await etagOf(kind, entity.id));
    expect(await read(kind, entity.id)).toEqual(entity);
  });

  test('creates one entity when it is sent several times at once', async () => {
    const id = ownId();
    const body = repeatable(await full());
    const responses = await Promise.all(Array.from({ length: 5 }, () => put(pathTo(kind, id), body)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 412, 412, 412, 412]);
    expect(await readList(withQuery(path, { name: String(body.name) }))).toMatchObject({ total: 1 });
  });

  test('replays the first response under an Idempotency-Key', async () => {
    const [id, key] = [ownId(), unique('key')];
    const body = await full();
    const first = await put(pathTo(kind, id), body, { 'idempotency-key': key });
    const again = await put(pathTo(kind, id), body, { 'idempotency-key': key });
    expect([again.status, again.text]).toEqual([201, first.text]);
    for (const header of ['location', 'etag'])
      expect(again.headers.get(header)).toBe(first.headers.get(header));
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expectProblem(await put(pathTo(kind, id), { ...body, name: 'x' }, { 'idempotency-key': key }), 422);
  });
});

describe.each(someResources)('an id of $path that is refused', ({ kind, minimal }) => {
  test.each(refused)('%s: PUT and a batch are a 400 that says why', async (_title, makeId, reason) => {
    const [id, body, detail] = [makeId(), await minimal(), expect.stringMatching(reason)];
    const made = await put(pathTo(kind, id), body);
    expect(expectProblem(made, 400).errors).toEqual([{ parameter: 'id', detail }]);
    const created = { operation: 'create', body };
    const batch = await sendBatch(kind, [created, { ...created, id }]);
    expect(expectProblem(batch, 400).errors).toEqual([{ pointer: '/operations/1/id', detail }]);
  });

  test.each([
    ['29 days old', 29 * dayMs],
    ['50 seconds ahead', -50_000],
  ])('does not include one that is %s', async (_title, agoMs) => {
    const id = ownId(agoMs);
    const entity = entityOf(await put(pathTo(kind, id), await minimal()), 201);
    expect(entity.createdAt).toBe(timeOf(id));
    expect(entity.updatedAt >= entity.createdAt).toBe(true);
  });
});

describe('at the same time', () => {
  test.each(someResources)(
    'as a restore of $path, is a 412, and the entity comes back',
    async ({ kind, minimal }) => {
      const entity = await create(kind);
      expect((await request('DELETE', pathTo(kind, entity.id))).status).toBe(204);
      const other = { ...repeatable(await minimal()), name: 'another' };
      const [restored, ...refused] = await Promise.all([
        request('POST', `${pathTo(kind, entity.id)}/restore`),
        ...Array.from({ length: 3 }, () => put(pathTo(kind, entity.id), other)),
      ]);
      expect([restored?.status, ...refused.map(({ status }) => status)]).toEqual([200, 412, 412, 412]);
      expect(await read(kind, entity.id)).toMatchObject({ name: entity.name });
    },
  );
});

test.each(['*', '"7a2c4d8f0e36-3"'])(
  'If-None-Match: * with If-Match: %s creates nothing',
  async (ifMatch) => {
    const id = ownId();
    const path = pathTo('tag', id);
    expectProblem(await put(path, { name: 'x' }, { 'if-match': ifMatch }), 404);
    entityOf(await put(path, { name: 'x' }), 201);
    expectProblem(await put(path, { name: 'y' }, { 'if-match': ifMatch }), 412);
    expect(entityOf(await request('GET', path), 200)).toMatchObject({ name: 'x' });
  },
);

test('PUT of an unknown id is a 404 without If-None-Match: *', async () => {
  expectProblem(await request('PUT', pathTo('tag', ownId()), { body: { name: 'x' } }), 404);
});

describe.each(someResources)('POST $path', ({ path, minimal }) => {
  test('with an id is a 400 that names the way to create with it', async () => {
    const body: JsonObject = { ...(await minimal()), id: ownId() };
    const problem = expectProblem(await request('POST', path, { body }), 400);
    expect(pointers(problem)).toEqual(['/id']);
    expect(problem.detail).toContain(`PUT ${path}/{id} with "If-None-Match: *"`);
    expect(await readList(withQuery(path, { name: String(body.name) }))).toMatchObject({ total: 0 });
  });
});

describe.each(resources)('POST $path/batch with own ids', ({ kind, path, full, minimal }) => {
  test('creates entities with them, beside others', async () => {
    const [first, second] = [ownId(dayMs), ownId()];
    const results = resultsOf(
      await sendBatch(kind, [
        { operation: 'create', id: first, body: await full() },
        { operation: 'create', body: await minimal() },
        { operation: 'create', id: second, body: await minimal() },
      ]),
    );
    const [one, , other] = results.map(({ body }) => body as Entity);
    expect(results.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect([one?.id, one?.createdAt, other?.id]).toEqual([first, timeOf(first), second]);
    expect(results[0]?.etag).toBe(await etagOf(kind, first));
    expect(await read(kind, second)).toEqual(other);
  });

  test('is a 412 when one of them exists, and applies nothing', async () => {
    const { id } = await create(kind);
    const body = repeatable(await minimal());
    const operations = [
      { operation: 'create', id: ownId(), body },
      { operation: 'create', id, body },
    ];
    const problem = expectProblem(await sendBatch(kind, operations), 412, [id]);
    expect(problem.errors).toEqual([
      { pointer: '/operations/1/id', detail: expect.stringContaining('exists') },
    ]);
    expect(await readList(withQuery(path, { name: String(body.name) }))).toMatchObject({ total: 0 });
  });

  test('is a 400 when two operations have one id', async () => {
    const id = ownId();
    const created = { operation: 'create', id, body: repeatable(await minimal()) };
    const deleted = { operation: 'delete', id };
    for (const operations of [
      [created, created],
      [created, deleted],
    ]) {
      const problem = expectProblem(await sendBatch(kind, operations), 400);
      expect(pointers(problem)).toContain('/operations/1/id');
    }
    expectProblem(await request('GET', pathTo(kind, id)), 404);
  });
});
