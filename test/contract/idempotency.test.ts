import { expectProblem } from './problem.ts';
import { create, entityOf, etagOf, pathTo, readList, someResources } from './resources.ts';
import { type JsonObject, request, type TestResponse, unique, withQuery } from './service.ts';

const replayed = (response: TestResponse) => response.headers.get('idempotency-replayed');

function post(path: string, key: string, body?: JsonObject): Promise<TestResponse> {
  return request('POST', path, { headers: { 'idempotency-key': key }, ...(body && { body }) });
}

function expectReplay(response: TestResponse, first: TestResponse): void {
  expect(response.status).toBe(first.status);
  expect(response.text).toBe(first.text);
  for (const header of ['content-type', 'location', 'etag', 'cache-control']) {
    expect(response.headers.get(header)).toBe(first.headers.get(header));
  }
  expect(replayed(response)).toBe('true');
}

describe.each(someResources)('POST $path with an Idempotency-Key', ({ kind, path, minimal, full }) => {
  test('replays the first response and creates one entity', async () => {
    const key = unique('key');
    const body = await full();
    const first = await post(path, key, body);
    const { name } = entityOf(first, 201);
    expect(replayed(first)).not.toBe('true');
    // Equal bodies with another order of fields are the same request.
    for (const same of [body, Object.fromEntries(Object.entries(body).reverse())])
      expectReplay(await post(path, key, same), first);
    expect(await readList(withQuery(path, { name }))).toMatchObject({ total: 1 });
  });

  test('returns 422 and creates nothing when the same key has another body', async () => {
    const key = unique('key');
    const first = await post(path, key, await minimal());
    entityOf(first, 201);
    const other = await minimal();
    expectProblem(await post(path, key, other), 422);
    expect(await readList(withQuery(path, { name: String(other.name) }))).toMatchObject({
      data: [],
      total: 0,
    });
  });

  test('replays the first response after the entity is changed or deleted', async () => {
    const key = unique('key');
    const body = await minimal();
    const first = await post(path, key, body);
    const { id } = entityOf(first, 201);
    entityOf(await request('PATCH', pathTo(kind, id), { body: { name: unique('Renamed') } }), 200);
    expectReplay(await post(path, key, body), first);
    expect((await request('DELETE', pathTo(kind, id))).status).toBe(204);
    expectReplay(await post(path, key, body), first);
    expectProblem(await request('GET', pathTo(kind, id)), 404);
  });

  test('creates one entity for concurrent requests', async () => {
    const key = unique('key');
    const body = await minimal();
    const responses = await Promise.all(Array.from({ length: 5 }, () => post(path, key, body)));
    // A request during the first one returns 409 or waits for the first response.
    const created = responses.filter(({ status }) => status === 201);
    expect(created.length).toBeGreaterThanOrEqual(1);
    for (const response of responses) expect([201, 409]).toContain(response.status);
    expect(new Set(created.map((response) => entityOf(response, 201).id)).size).toBe(1);
    expect(created.filter((response) => replayed(response) !== 'true')).toHaveLength(1);
    expect(await readList(withQuery(path, { name: String(body.name) }))).toMatchObject({ total: 1 });
  });
});

describe('an Idempotency-Key', () => {
  test.each<['PUT' | 'PATCH' | 'DELETE', JsonObject | undefined]>([
    ['PUT', { name: 'Replaced' }],
    ['PATCH', { name: 'Renamed' }],
    ['PATCH', {}],
    ['DELETE', undefined],
  ])('applies %s %j with If-Match once, also when others write in between', async (method, body) => {
    const { id } = await create('tag');
    const path = pathTo('tag', id);
    const headers = { 'if-match': await etagOf('tag', id), 'idempotency-key': unique('key') };
    const send = (sent?: JsonObject) => request(method, path, { headers, ...(sent && { body: sent }) });
    const first = await send(body);
    expect([first.status, replayed(first)]).toEqual([body ? 200 : 204, null]);
    const { text } = await (body
      ? request('PATCH', path, { body: { status: 'other' } })
      : request('POST', `${path}/restore`));
    const hasChanged = body === undefined || 'name' in body;
    expectReplay(await send(body), hasChanged ? first : { ...first, text });
    if (body) expectProblem(await send({ name: 'x' }), 422);
  });

  test('has no effect on a change without a condition', async () => {
    const { id } = await create('tag');
    const headers = { 'idempotency-key': unique('key') };
    for (const name of ['one', 'two'])
      expect((await request('PATCH', pathTo('tag', id), { headers, body: { name } })).status).toBe(200);
  });

  test('is independent of the same key for another path', async () => {
    const key = unique('key');
    const body = { name: unique('Same') };
    const user = entityOf(await post('/v1/users', key, body), 201);
    const tag = await post('/v1/tags', key, body);
    expect(entityOf(tag, 201).id).not.toBe(user.id);
    expect(tag.body).toHaveProperty('color');
    expect(replayed(tag)).not.toBe('true');
  });

  test('replays the response of archive without archiving again', async () => {
    const { id } = await create('organization');
    const key = unique('key');
    const path = `${pathTo('organization', id)}/archive`;
    const first = await post(path, key);
    expect(entityOf(first, 200).status).toBe('archived');
    const body = { status: 'active' };
    const active = entityOf(await request('PATCH', pathTo('organization', id), { body }), 200);
    expectReplay(await post(path, key), first);
    expect((await request('GET', pathTo('organization', id))).body).toEqual(active);
  });

  test('is still unused after a request that was refused', async () => {
    const { id } = await create('project');
    const key = unique('key');
    const path = `${pathTo('project', id)}/clone`;
    const stale = { 'idempotency-key': key, 'if-match': '"stale"' };
    expectProblem(await request('POST', path, { headers: stale, body: { name: 'First' } }), 412);
    expectProblem(await post(path, key, { name: '' }), 400);
    const first = await post(path, key, { name: 'Third' });
    expect(entityOf(first, 201)).toMatchObject({ name: 'Third' });
    expectReplay(await post(path, key, { name: 'Third' }), first);
    expectProblem(await post(path, key, { name: 'First' }), 422);
  });
});
