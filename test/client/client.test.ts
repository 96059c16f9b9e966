import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, ConnectionError, createClient, etagOf, isProblem } from '../../client/index.ts';
import type { Service } from '../../lib/local/service.ts';
import { openApiDocument } from '../../lib/openapi/document.ts';
import type { OpenApiDocument } from '../../lib/openapi/types.ts';
import { startTestService } from '../support/local-service.ts';

let service: Service;
let client: Client;

/** What the client asked for, as operations of the document. */
const called = new Set<string>();

const document: OpenApiDocument = openApiDocument();

function operationOf(method: string, url: string): string {
  const path = new URL(url).pathname.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}');
  return document.paths[path]?.[method.toLowerCase()]?.operationId ?? `${method} ${path}`;
}

beforeAll(async () => {
  service = await startTestService();
  client = createClient({
    url: service.url,
    fetch: (input, init) => {
      called.add(operationOf(init?.method ?? 'GET', String(input)));
      return fetch(input, init);
    },
  });
});

afterAll(() => service.stop());

/** What a promise fails with. */
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

/** A client whose first tries of anything meet with something. */
function troubled(troubles: readonly ((send: () => Promise<Response>) => Promise<Response>)[]) {
  const sent: { method: string; key: string | null }[] = [];
  const left = [...troubles];
  const one = createClient({
    url: service.url,
    fetch: (input, init) => {
      sent.push({ method: init?.method ?? '', key: new Headers(init?.headers).get('idempotency-key') });
      const trouble = left.shift();
      return trouble ? trouble(() => fetch(input, init)) : fetch(input, init);
    },
  });
  return { client: one, sent };
}

const lostRequest = (): Promise<Response> => Promise.reject(new TypeError('fetch failed'));
const lostReply = async (send: () => Promise<Response>): Promise<Response> => {
  await send();
  throw new TypeError('terminated');
};
const unavailable = async (): Promise<Response> =>
  new Response('{"message":"Service Unavailable"}', { status: 503, headers: { 'retry-after': '0.01' } });

test('a new user creates, pages through, and understands what is refused', async () => {
  const organization = await client.organizations.create({ name: 'Acme' });
  const project = await client.projects.create({ name: 'Relaunch', organizationId: organization.id });
  for (const name of ['one', 'two', 'three']) await client.tasks.create({ name, projectId: project.id });

  const first = await client.tasks.list({
    projectId: project.id,
    limit: 2,
    sortBy: 'name',
    sortOrder: 'asc',
  });
  expect(first).toMatchObject({ total: 3, page: 1, totalPages: 2 });
  expect(first.data.map(({ name }) => name)).toEqual(['one', 'three']);
  const names: string[] = [];
  for await (const task of client.tasks.iterate({ projectId: project.id, limit: 2 })) names.push(task.name);
  expect(names).toEqual(['three', 'two', 'one']);

  const wrong = await failure(client.tasks.create({ name: ' ', dueDate: '2026-02-30' }));
  expect(isProblem(wrong, 'invalid-request') && wrong.problem.errors).toEqual([
    { pointer: '/name', detail: expect.stringContaining('1 to 255 characters') },
    { pointer: '/dueDate', detail: expect.stringContaining('a day that exists') },
  ]);

  await client.projects.update(project.id, { description: 'Somebody was faster.' });
  const stale = await failure(client.projects.update(project, { description: 'Too late.' }));
  expect(isProblem(stale, 'version-mismatch') && stale.problem).toMatchObject({
    status: 412,
    type: `${service.url}/docs/problems#version-mismatch`,
    detail: expect.stringContaining('has changed'),
  });
  const current = await client.projects.read(project.id);
  await client.projects.update(current, { description: 'In time.' });
  expect((await client.projects.read(project.id)).description).toBe('In time.');
});

test('what was read can be replaced, changed and deleted, all under its version', async () => {
  const created = await client.tags.create({ name: 'design' });
  const replaced = await client.tags.replace(created, { ...created, color: '#123456' });
  expect(replaced).toMatchObject({ id: created.id, color: '#123456' });
  expect(etagOf(replaced)).not.toBe(etagOf(created));
  expect(isProblem(await failure(client.tags.delete(created)), 'version-mismatch')).toBe(true);
  await client.tags.delete(replaced);
  const gone = await failure(client.tags.read(created.id));
  expect(isProblem(gone, 'not-found') && gone.problem.detail).toContain('tag');
});

test('ten changes at a time are all made', async () => {
  const { id } = await client.tasks.create({ name: 'counted', description: '0' });
  await Promise.all(
    Array.from({ length: 10 }, () =>
      client.tasks.change(id, ({ description }) => ({ description: String(Number(description) + 1) })),
    ),
  );
  expect((await client.tasks.read(id)).description).toBe('10');
});

test('every operation of the document has its method', async () => {
  await client.health();
  const organization = await client.organizations.create({ name: 'All of it' });
  const project = await client.projects.create({ name: 'All of it', organizationId: organization.id });
  const user = await client.users.create({ name: 'Ada', organizationId: organization.id });
  const tag = await client.tags.create({ name: 'all' });
  const task = await client.tasks.create({
    name: 'do it',
    projectId: project.id,
    userId: user.id,
    tagIds: [tag.id],
  });
  const taskLists = [
    client.projects.tasks(project.id),
    client.users.tasks(user.id),
    client.tags.tasks(tag.id),
  ];
  for (const tasks of taskLists) expect((await tasks.list()).data).toEqual([task]);
  const [projects, users] = [
    client.organizations.projects(organization.id),
    client.organizations.users(organization.id),
  ];
  expect((await projects.list()).data).toEqual([project]);
  expect((await users.list({ name: 'Ada' })).data).toEqual([user]);
  expect(await client.projects.clone(project, { name: 'Again', include: [] })).toMatchObject({
    name: 'Again',
  });
  expect(await client.organizations.archive(organization)).toMatchObject({ status: 'archived' });
  for (const { id, ...all } of [
    { id: task.id, collection: client.tasks, entity: task },
    { id: project.id, collection: client.projects, entity: project },
    { id: user.id, collection: client.users, entity: user },
    { id: tag.id, collection: client.tags, entity: tag },
    { id: organization.id, collection: client.organizations, entity: organization },
  ]) {
    const collection = all.collection as unknown as Client['tags'];
    expect((await collection.read(id)).id).toBe(id);
    await collection.list();
    await collection.update(id, { name: 'x' });
    await collection.replace(id, all.entity as never);
    await collection.delete(id);
  }
  const declared = Object.values(document.paths).flatMap((item) =>
    Object.entries(item)
      .filter(
        ([method, { tags, operationId }]) =>
          method !== 'head' && (!tags.includes('Service') || /check/.test(operationId)),
      )
      .map(([, { operationId }]) => operationId),
  );
  expect([...called].sort()).toEqual(declared.sort());
});

test('what is created between two pages does not bring anything twice', async () => {
  const status = 'iterated';
  for (let count = 0; count < 5; count += 1) await client.tags.create({ name: `${count}`, status });
  const names: string[] = [];
  for await (const { name } of client.tags.iterate({ status, limit: 2 })) {
    names.push(name);
    if (names.length === 2) await client.tags.create({ name: 'late', status });
  }
  expect(names).toEqual(['4', '3', '2', '1', '0']);
});

test.each([
  ['a request is lost', [lostRequest, lostRequest]],
  ['the reply is lost', [lostReply, lostReply]],
  ['the service is not available', [unavailable, lostReply, unavailable]],
])('a creation is done once, under one key, when %s', async (_, troubles) => {
  const { client: one, sent } = troubled(troubles);
  const status = `once-${troubles.map(({ name }) => name).join('-')}`;
  const created = await one.tags.create({ name: 'once', status });
  expect(sent).toHaveLength(troubles.length + 1);
  expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  expect((await client.tags.list({ status })).data).toEqual([created]);
});

test('a key of the caller makes one creation of two', async () => {
  const idempotencyKey = 'the order of the 3rd of March';
  const first = await client.tags.create({ name: 'ordered' }, { idempotencyKey });
  expect(await client.tags.create({ name: 'ordered' }, { idempotencyKey })).toEqual(first);
  const other = await failure(client.tags.create({ name: 'another' }, { idempotencyKey }));
  expect(isProblem(other, 'idempotency-key-reused')).toBe(true);
});

test('a deletion whose reply is lost is done', async () => {
  const { id } = await client.tags.create({ name: 'gone' });
  await troubled([lostReply]).client.tags.delete(id);
  expect(isProblem(await failure(client.tags.delete(id)), 'not-found')).toBe(true);
});

test('what is never answered fails after four tries, and says why', async () => {
  const { client: one, sent } = troubled(Array.from({ length: 9 }, () => lostRequest));
  const error = await failure(one.health());
  expect(error).toBeInstanceOf(ConnectionError);
  expect((error as Error).cause).toMatchObject({ message: 'fetch failed' });
  expect(sent).toHaveLength(4);
});

test('a caller can end a request between its tries', async () => {
  const { client: one, sent } = troubled(Array.from({ length: 9 }, () => lostRequest));
  const stop = new AbortController();
  const pending = failure(one.tags.list({}, { signal: stop.signal }));
  stop.abort(new Error('enough'));
  expect(await pending).toMatchObject({ message: 'enough' });
  expect(sent.length).toBeLessThan(4);
});

test('tokens are sent, and what the gateway says is a problem as well', async () => {
  const tokens: (string | undefined)[] = [];
  const gateway = createServer(({ headers }, response) => {
    tokens.push(headers.authorization);
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"Unauthorized"}');
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/`;
  for (const token of ['one', async () => 'two']) {
    const refused = await failure(createClient({ url, token }).tasks.list());
    expect(isProblem(refused, 'unauthorized') && refused.problem.status).toBe(401);
  }
  expect(tokens).toEqual(['Bearer one', 'Bearer two']);
  gateway.close();
});
