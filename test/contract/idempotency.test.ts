import { expectProblem } from './problem.ts';
import { create, entityOf, pathTo, readList, resources } from './resources.ts';
import { type Answer, type JsonObject, request, unique, withQuery } from './service.ts';

const replayed = (answer: Answer) => answer.headers.get('idempotency-replayed');

function post(path: string, key: string, body?: JsonObject): Promise<Answer> {
  return request('POST', path, { headers: { 'idempotency-key': key }, ...(body && { body }) });
}

function expectReplay(answer: Answer, first: Answer): void {
  expect(answer.status).toBe(first.status);
  expect(answer.text).toBe(first.text);
  for (const header of ['content-type', 'location', 'etag', 'cache-control']) {
    expect(answer.headers.get(header)).toBe(first.headers.get(header));
  }
  expect(replayed(answer)).toBe('true');
}

describe.each(resources)('POST $path with an Idempotency-Key', ({ kind, path, minimal, full }) => {
  test('replays the first answer and makes one entity', async () => {
    const key = unique('key');
    const body = await full();
    const first = await post(path, key, body);
    const { name } = entityOf(first, 201);
    expect(replayed(first)).not.toBe('true');
    expectReplay(await post(path, key, body), first);
    expectReplay(await post(path, key, body), first);
    expect(await readList(withQuery(path, { name }))).toMatchObject({ total: 1 });
  });

  test('answers 422 for another body under the same key, and makes nothing', async () => {
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

  test('replays the first answer also after the entity has changed or gone', async () => {
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

  test('makes another entity under another key', async () => {
    const body = await minimal();
    const first = entityOf(await post(path, unique('key'), body), 201);
    const second = await post(path, unique('key'), body);
    expect(entityOf(second, 201).id).not.toBe(first.id);
    expect(replayed(second)).not.toBe('true');
  });

  test('makes one entity of requests sent at the same time', async () => {
    const key = unique('key');
    const body = await minimal();
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(path, key, body)));
    // Who comes while the first is under way may be told so (409) or wait for its answer.
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThanOrEqual(1);
    for (const answer of answers) expect([201, 409]).toContain(answer.status);
    expect(new Set(made.map((answer) => entityOf(answer, 201).id)).size).toBe(1);
    expect(made.filter((answer) => replayed(answer) !== 'true')).toHaveLength(1);
    expect(await readList(withQuery(path, { name: String(body.name) }))).toMatchObject({ total: 1 });
  });
});

describe('an Idempotency-Key', () => {
  test('belongs to one path: elsewhere it is new', async () => {
    const key = unique('key');
    const body = { name: unique('Same') };
    const user = entityOf(await post('/v1/users', key, body), 201);
    const tag = await post('/v1/tags', key, body);
    expect(entityOf(tag, 201).id).not.toBe(user.id);
    expect(tag.body).toHaveProperty('color');
    expect(replayed(tag)).not.toBe('true');
  });

  test('makes one copy of a project', async () => {
    const { id, name } = await create('project');
    const key = unique('key');
    const path = `${pathTo('project', id)}/clone`;
    const first = await post(path, key);
    entityOf(first, 201);
    expectReplay(await post(path, key), first);
    expectProblem(await post(path, key, { name: 'Another body' }), 422);
    expect(await readList(withQuery('/v1/projects', { name }))).toMatchObject({ total: 2 });
  });

  test('belongs to one project: for another it makes another copy', async () => {
    const [one, other] = [await create('project'), await create('project')];
    const key = unique('key');
    entityOf(await post(`${pathTo('project', one.id)}/clone`, key), 201);
    const second = await post(`${pathTo('project', other.id)}/clone`, key);
    expect(entityOf(second, 201).name).toBe(other.name);
    expect(replayed(second)).not.toBe('true');
  });

  test('replays an archiving without archiving again', async () => {
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
});
