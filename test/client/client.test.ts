import {
  type Client,
  ConnectionError,
  createClient,
  etagOf,
  IncompleteBatchError,
  isProblem,
  newId,
  type ProblemError,
  type Tag,
} from '#client/index.ts';
import { isId, timestampMs } from '#functions/engine/model/ids.ts';
import { routes } from '#functions/routes.ts';
import { resources } from '#functions/schema.ts';
import { openApiDocument } from '#lib/openapi/document.ts';
import { docsOf } from '#lib/openapi/resources.ts';
import type { OpenApiDocument } from '#lib/openapi/types.ts';
import { changesOf } from '../support/changes-of.ts';
import { expectComplete } from '../support/complete.ts';
import { fc } from '../support/fast-check.ts';
import { provideFetchedService } from '../support/in-process-fetch.ts';

const service = provideFetchedService();

const camel = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

/** The operation ids of the document that the client called. */
const called = new Set<string>();

const document: OpenApiDocument = openApiDocument();

function operationOf(method: string, url: string): string {
  const path = new URL(url).pathname.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}');
  return document.paths[path]?.[method.toLowerCase()]?.operationId ?? `${method} ${path}`;
}

const client = createClient({
  url: service.url,
  fetch: (input, init) => {
    called.add(operationOf(init?.method ?? 'GET', String(input)));
    return service.fetch(input, init);
  },
});

/** Pauses between two attempts take no time, and an attempt may take its time. */
beforeEach(() => {
  const start = globalThis.setTimeout;
  const startShortened = (call: () => void, milliseconds = 0, ...values: []) =>
    start(call, milliseconds < 5_000 ? 0 : milliseconds, ...values);
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(startShortened as typeof setTimeout);
});

afterEach(() => jest.restoreAllMocks());

const failure = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

/** Returns a client whose first attempts fail with the given faults. */
function clientWithFaults(
  faults: readonly ((send: () => Promise<Response>) => Promise<Response>)[],
  tries?: number,
) {
  const sent: { method: string; key: string | null }[] = [];
  const remaining = [...faults];
  const faulty = createClient({
    url: service.url,
    ...(tries && { tries }),
    fetch: (input, init) => {
      sent.push({ method: init?.method ?? '', key: new Headers(init?.headers).get('idempotency-key') });
      const fault = remaining.shift();
      return fault ? fault(() => service.fetch(input, init)) : service.fetch(input, init);
    },
  });
  return { client: faulty, sent };
}

const lostRequest = (): Promise<Response> => Promise.reject(new TypeError('fetch failed'));
const lostResponse = async (send: () => Promise<Response>): Promise<Response> => {
  await send();
  throw new TypeError('terminated');
};
const unavailable = async (): Promise<Response> =>
  new Response('{"message":"Service Unavailable"}', { status: 503, headers: { 'retry-after': '0.01' } });

const valid = 'url must be like http://localhost:3000';

test.each([
  ['no options', undefined, valid],
  ['an address without a scheme', { url: 'localhost:3000' }, valid],
  ['an address with another scheme', { url: 'ftp://localhost:3000' }, valid],
  ['an address of another host without a scheme', { url: '//example.com' }, valid],
  ['a path that browsers take for a host', { url: '/\\example.com' }, valid],
  ['an address with a user', { url: 'https://ada@example.com' }, valid],
  ['an address with a query', { url: 'http://localhost:3000/?page=1' }, valid],
  ['the version that the client adds', { url: '/api/v1/' }, 'url must not end with /v1'],
])('createClient with %s throws an error that shows a valid address', (_, options, message) => {
  expect(() => createClient(options as never)).toThrow(TypeError);
  expect(() => createClient(options as never)).toThrow(message);
});

test.each([
  ['/api', '/api/v1/tags/x'],
  ['https://example.com/backend/', 'https://example.com/backend/v1/tags/x'],
])('createClient takes the address %s', async (url, expected) => {
  const sent: string[] = [];
  const of = createClient({
    url,
    tries: 1,
    fetch: async (address) => {
      sent.push(String(address));
      const problem = { type: '/docs/problems#not-found', title: 'Not found', status: 404, detail: 'x' };
      return new Response(JSON.stringify(problem), {
        status: 404,
        headers: { 'content-type': 'application/problem+json' },
      });
    },
  });
  const error = await failure(of.tags.get('x'));
  expect(sent).toEqual([expected]);
  expect(isProblem(error, 'not-found') && error.problem.type).toBe(
    `${url.replace(/\/$/, '')}/docs/problems#not-found`,
  );
});

test('replace and delete require the version that was read', async () => {
  const created = await client.tags.create({ name: 'design' });
  const replaced = await client.tags.replace(created, { ...created, color: '#123456' });
  expect(replaced).toMatchObject({ id: created.id, color: '#123456' });
  expect(etagOf(replaced)).not.toBe(etagOf(created));
  expect(isProblem(await failure(client.tags.delete(created)), 'version-mismatch')).toBe(true);
  await client.tags.delete(replaced);
  const gone = await failure(client.tags.get(created.id));
  expect(isProblem(gone, 'not-found') && gone.problem.detail).toContain('tag');
});

test('an entity of a list requires its version, in any order, shape and copy', async () => {
  const { id: userId } = await client.users.create({ name: 'Ada' });
  const { id } = await client.tasks.create({ name: 'listed', userId });
  const listed = async () =>
    (await client.tasks.list({ userId, sortBy: 'name', fields: ['name'], expand: ['user'] })).data;
  const [stale] = await listed();
  if (!stale) throw new Error('The list is empty.');
  expect(Object.keys(stale)).toEqual(['id', 'name', 'user', 'version']);
  await client.tasks.update(id, { name: 'changed' });
  const late = await failure(client.tasks.update({ ...stale, name: 'mine' }, { name: 'mine' }));
  expect(isProblem(late, 'version-mismatch')).toBe(true);
  const [current] = await listed();
  if (!current) throw new Error('The list is empty.');
  expect(etagOf(current)).toBe(etagOf(await client.tasks.get(id)));
  const updated = await client.tasks.update(current, { status: 'completed' });
  for await (const task of client.users.tasks(userId).iterate()) {
    expect(etagOf(task)).toBe(etagOf(updated));
    await client.tasks.delete(task);
  }
});

test('an object without a version is no target of a write', async () => {
  const { version: _, ...tag } = await client.tags.create({ name: 'stored' });
  expect(await failure(client.tags.update(tag as never, { name: 'x' }))).toMatchObject({
    name: 'TypeError',
    message: expect.stringContaining('has no version'),
  });
});

describe('a batch in several transactions', () => {
  const creations = (count: number, status: string) =>
    Array.from({ length: count }, (_, number) => ({
      operation: 'create' as const,
      body: { name: `${number}`, status },
    }));

  test('applies any number of operations, in order', async () => {
    expect(await client.tags.batchInSeveralTransactions([])).toEqual([]);
    const created = await client.tags.batchInSeveralTransactions(creations(60, 'several'));
    expect(created.map(({ name }) => Number(name))).toEqual(
      Array.from({ length: 60 }, (_, number) => number),
    );
    const deletions = created.map((tag) => ({
      operation: 'delete' as const,
      id: tag.id,
      ifMatch: etagOf(tag),
    }));
    expect(await client.tags.batchInSeveralTransactions(deletions)).toEqual(created.map(() => undefined));
    expect((await client.tags.list({ status: 'several' })).total).toBe(0);
  });

  test('keeps what is applied when a transaction fails, and says what that is', async () => {
    const operations = creations(60, 'incomplete');
    const wrong = operations.with(30, { operation: 'create', body: { name: '', status: 'incomplete' } });
    const error = (await failure(client.tags.batchInSeveralTransactions(wrong))) as IncompleteBatchError<Tag>;
    expect(error).toBeInstanceOf(IncompleteBatchError);
    expect(error.results.map((tag) => tag?.name)).toEqual(
      operations.slice(0, 25).map(({ body }) => body.name),
    );
    expect(isProblem(error.cause, 'invalid-request') && error.cause.problem.errors[0]?.pointer).toBe(
      '/operations/5/body/name',
    );
    expect((await client.tags.list({ status: 'incomplete' })).total).toBe(25);
  });

  test('applies nothing twice under one key', async () => {
    const options = { idempotencyKey: 'one-import' };
    const first = await client.tags.batchInSeveralTransactions(creations(30, 'once'), options);
    const second = await client.tags.batchInSeveralTransactions(creations(30, 'once'), options);
    expect(second).toEqual(first);
    expect((await client.tags.list({ status: 'once' })).total).toBe(30);
  });
});

test('a batch creates, updates and deletes, and its results carry their versions', async () => {
  const [updated, deleted] = [
    await client.tags.create({ name: 'one' }),
    await client.tags.create({ name: 'two' }),
  ];
  const [created, changed, none] = await client.tags.batch([
    { operation: 'create', body: { name: 'three' } },
    { operation: 'update', id: updated.id, ifMatch: etagOf(updated), body: { color: '#123456' } },
    { operation: 'delete', id: deleted.id },
  ]);
  expect([created.name, changed.color, none]).toEqual(['three', '#123456', undefined]);
  await client.tags.update(created, { name: 'four' });
  expect(isProblem(await failure(client.tags.get(deleted.id)), 'not-found')).toBe(true);

  const stale = await failure(
    client.tags.batch([
      { operation: 'update', id: changed.id, ifMatch: etagOf(updated), body: {} },
      { operation: 'delete', id: deleted.id },
    ]),
  );
  expect(isProblem(stale, 'version-mismatch') && stale.problem.errors).toEqual([
    { pointer: '/operations/0/ifMatch', detail: expect.stringContaining('has changed') },
    { pointer: '/operations/1/id', detail: expect.stringContaining('no tag') },
  ]);
});

test('ten concurrent calls of change all succeed', async () => {
  const { id } = await client.tasks.create({ name: 'counted', description: '0' });
  await Promise.all(
    Array.from({ length: 10 }, () =>
      client.tasks.change(id, ({ description }) => ({ description: String(Number(description) + 1) })),
    ),
  );
  expect((await client.tasks.get(id)).description).toBe('10');
});

const losses = ['none', 'none', 'request', 'response', 'response, and somebody else writes'] as const;

test('a change is applied once, and is refused only because of others, when requests and responses are lost', async () => {
  const runs = fc.asyncProperty(
    fc.array(fc.constantFrom(...losses), { maxLength: 40 }),
    fc.constantFrom('update', 'replace', 'delete'),
    fc.boolean(),
    async (drawn, method, isStale) => {
      const { id } = await client.tasks.create({ name: 'counted', estimate: 0 });
      let others = 0;
      const change = (by: Client, count: number) =>
        by.tasks.change(id, ({ estimate }) => ({ estimate: (estimate ?? 0) + count }));
      const write = async () => {
        others += 100;
        await failure(change(client, 100));
      };
      const remaining = [...drawn];
      let lostInARow = 0;
      const lossy: typeof fetch = async (input, init) => {
        const loss = lostInARow < 3 ? remaining.shift() : 'none';
        lostInARow = loss === 'none' ? 0 : lostInARow + 1;
        if (loss === 'request') return lostRequest();
        const response = await service.fetch(input, init);
        if (loss?.endsWith('writes')) await write();
        return loss?.startsWith('response') ? lostResponse(async () => response) : response;
      };
      const faulty = createClient({ url: service.url, fetch: lossy });
      for (const own of [1, 2, 3]) {
        await change(faulty, 1);
        expect((await client.tasks.get(id)).estimate).toBe(own + others);
      }
      const read = await client.tasks.get(id);
      if (isStale) await write();
      const written = failure(
        method === 'delete' ? faulty.tasks.delete(read) : faulty.tasks[method](read, { name: 'mine' }),
      );
      expect(isProblem(await written, 'version-mismatch')).toBe(isStale);
    },
  );
  await fc.assert(runs, { numRuns: 50 });
});

test('every operation of the document has a method', async () => {
  await client.health();
  expect(await client.me()).toMatchObject({ subject: null, tenant: 'public', user: null });
  const organization = await client.organizations.create({ name: 'Complete' });
  const project = await client.projects.create({ name: 'Complete', organizationId: organization.id });
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
  expect((await client.tasks.tasks(task.id).list()).total).toBe(0);
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
  const known = { organization, project, user, tag, task };
  /** Creates one of a resource that is not above, as its documentation shows it, and reads the lists that have it. */
  const createOther = async ({ kind, plural, relations }: (typeof resources)[number]) => {
    const { id: _, createdAt: _created, updatedAt: _updated, ...example } = docsOf({ kind }).example;
    const references = relations.map(({ field, parent, isArray }) => {
      const { id } = known[parent as keyof typeof known];
      return [field, isArray ? [id] : id];
    });
    const collections = client as unknown as Record<string, Client['tags']>;
    const collection = collections[camel(plural)] as Client['tags'];
    const entity = await collection.create({ ...example, ...Object.fromEntries(references) } as never);
    for (const { contract } of routes) {
      const [, , parent = '', , segment] = contract.path.split('/');
      if (contract.resource?.kind !== kind || !contract.nestedBy || segment === undefined) continue;
      const nested = collections[camel(parent)] as unknown as Record<string, Client['tags']['tasks']>;
      const { id } = known[parent.slice(0, -1) as keyof typeof known];
      expect((await nested[camel(segment)]?.(id).list())?.data).toEqual([entity]);
    }
    return { id: entity.id, collection, entity };
  };
  const others = resources.filter(({ kind }) => !(kind in known));
  for (const { id, ...all } of [
    ...(await Promise.all(others.map(createOther))),
    { id: task.id, collection: client.tasks, entity: task },
    { id: project.id, collection: client.projects, entity: project },
    { id: user.id, collection: client.users, entity: user },
    { id: tag.id, collection: client.tags, entity: tag },
    { id: organization.id, collection: client.organizations, entity: organization },
  ]) {
    const collection = all.collection as unknown as Client['tags'];
    expect((await collection.get(id)).id).toBe(id);
    await collection.list();
    await collection.changes();
    await collection.history(id);
    await collection.deleted({ limit: 1 });
    await collection.restore(id);
    await collection.update(id, { name: 'x' });
    await collection.replace(id, all.entity as never);
    await collection.batch([{ operation: 'update', id, body: { name: 'y' } }]);
    await collection.delete(id);
  }
  const declared = Object.values(document.paths).flatMap((item) =>
    Object.entries(item)
      .filter(([, { tags, operationId }]) => !tags.includes('Service') || /check/.test(operationId))
      .map(([, { operationId }]) => operationId),
  );
  expectComplete(called, declared, {
    missing:
      'Write a method in client/index.ts that sends it, as docs/extending.md shows, and call it in this test.',
  });
});

test('iterate continues behind the last entity, in any order', async () => {
  for (const name of ['b', 'e', 'a', 'd', 'c']) await client.tags.create({ name, status: 'iterated' });
  const names: string[] = [];
  for await (const { name } of client.tags.iterate({
    status: 'iterated',
    limit: 2,
    sortBy: 'name',
    sortOrder: 'asc',
  }))
    names.push(name);
  expect(names).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('iterate refuses a page, which it would not read', async () => {
  const untyped: object = { page: 2 };
  const iteration = client.tags.iterate(untyped);
  await expect(iteration.next()).rejects.toThrow(
    new TypeError('"page" is not an option: an iteration has all pages.'),
  );
});

test.each([
  ['the requests are lost', [lostRequest, lostRequest]],
  ['the responses are lost', [lostResponse, lostResponse]],
  ['the service is unavailable', [unavailable, lostResponse, unavailable]],
])('create makes one entity with one idempotency key when %s', async (_, faults) => {
  const { client: faulty, sent } = clientWithFaults(faults);
  const status = `once-${faults.map(({ name }) => name).join('-')}`;
  // An empty key is none.
  const options = faults.length > 2 ? { idempotencyKey: '' } : {};
  const created = await faulty.tags.create({ name: 'once', status }, options);
  expect(sent[0]?.key).toBeTruthy();
  expect(sent).toHaveLength(faults.length + 1);
  expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  expect((await client.tags.list({ status })).data).toEqual([created]);
});

test('delete succeeds when its first response is lost', async () => {
  const { id } = await client.tags.create({ name: 'gone' });
  await clientWithFaults([lostResponse]).client.tags.delete(id);
  expect(isProblem(await failure(client.tags.delete(id)), 'not-found')).toBe(true);
});

test('a retry after a lost response gets the entity that was created', async () => {
  const id = newId();
  const tag = await clientWithFaults([lostResponse]).client.tags.create({ id, name: 'own id' });
  expect(await client.tags.list({ name: 'own id' })).toMatchObject({ data: [tag], total: 1 });
});

test('a later call with the same id says that the entity exists', async () => {
  const id = newId();
  await failure(clientWithFaults([lostResponse], 1).client.tags.create({ id, name: 'lost' }));
  const error = await failure(client.tags.create({ id, name: 'lost' }));
  expect(isProblem(error, 'version-mismatch')).toBe(true);
  expect(await client.tags.list({ name: 'lost' })).toMatchObject({ data: [{ id }], total: 1 });
});

test('newId returns ids of the time, in order, each of them once', () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, newId);
  const after = Date.now();
  expect(ids.every(isId)).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  expect(timestampMs(ids[0] ?? '')).toBeGreaterThanOrEqual(before);
  // A full sequence continues in the next millisecond.
  expect(timestampMs(ids.at(-1) ?? '')).toBeLessThanOrEqual(after + 20);
});

test('an error says how long to wait when the service names a date', async () => {
  const headers = { 'retry-after': new Date(Date.now() + 50_000).toUTCString() };
  const busy = async () => new Response('{}', { status: 503, headers });
  const error = await failure(clientWithFaults([busy], 1).client.health());
  expect((error as ProblemError).retryAfterMs).toBeGreaterThan(0);
});

test('a request without a response fails after four attempts with the cause', async () => {
  const { client: faulty, sent } = clientWithFaults(Array.from({ length: 9 }, () => lostRequest));
  const error = await failure(faulty.health());
  expect(error).toBeInstanceOf(ConnectionError);
  expect((error as Error).cause).toMatchObject({ message: 'fetch failed' });
  expect(sent).toHaveLength(4);
});

test.each<[string, object, (faulty: Client) => Promise<unknown>]>([
  ['a token with a character that no header has', { token: '\u2603' }, ({ tasks }) => tasks.list()],
  ['a token of two lines', { token: async () => 'a\nb' }, ({ tasks }) => tasks.list()],
  ['such a key', {}, ({ tasks }) => tasks.create({ name: 'x' }, { idempotencyKey: '\u2603' })],
  ['such a version', {}, ({ tasks }) => tasks.delete({ id: newId(), version: '\u201ca-1\u201d' } as never)],
  ['a body that is no JSON', {}, ({ tasks }) => tasks.create({ name: 1n as never })],
])('%s is a TypeError, and nothing is sent', async (_, options, send) => {
  const sent: unknown[] = [];
  const fetch = async (input: unknown) => {
    sent.push(input);
    return Response.error();
  };
  const error = await failure(send(createClient({ url: service.url, fetch, ...options })));
  expect([error instanceof TypeError, sent]).toEqual([true, []]);
});

test('a caller can abort a request between two attempts', async () => {
  const { client: faulty, sent } = clientWithFaults(Array.from({ length: 9 }, () => lostRequest));
  const stop = new AbortController();
  const pending = failure(faulty.tags.list({}, { signal: stop.signal }));
  stop.abort(new Error('aborted by the test'));
  expect(await pending).toMatchObject({ message: 'aborted by the test' });
  expect(sent.length).toBeLessThan(4);
});

test('an attempt without a response ends after the timeout', async () => {
  const signals: AbortSignal[] = [];
  const options = { url: service.url, tries: 2, timeout: 5 };
  const silent = createClient({
    ...options,
    fetch: (_, init) =>
      new Promise((_resolve, reject) => {
        const signal = init?.signal as AbortSignal;
        signals.push(signal);
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  });
  for (const one of [silent, createClient({ ...options, token: () => new Promise(() => {}) })]) {
    const error = await failure(one.health());
    expect(error).toBeInstanceOf(ConnectionError);
    const message = expect.stringContaining('5 ms');
    expect((error as Error).cause).toMatchObject({ name: 'TimeoutError', message });
  }
  expect(signals).toHaveLength(2);
});

test('a signal that is aborted already sends nothing, also without a reason', async () => {
  const { client: unused, sent } = clientWithFaults([]);
  // The signals of older implementations.
  const signal = Object.assign(new EventTarget(), { aborted: true }) as AbortSignal;
  expect(await failure(unused.tags.list({}, { signal }))).toMatchObject({ name: 'AbortError' });
  expect(sent).toHaveLength(0);
});

test('requests send the token, and an error of the gateway is a problem', async () => {
  const tokens: unknown[] = [];
  const refuse: typeof fetch = async (_, init) => {
    tokens.push(new Headers(init?.headers).get('authorization'));
    return Response.json({ message: 'Unauthorized' }, { status: 401 });
  };
  for (const token of ['one', async () => 'two']) {
    const rejected = await failure(createClient({ url: service.url, token, fetch: refuse }).tasks.list());
    expect(isProblem(rejected, 'unauthorized') && rejected.problem.status).toBe(401);
  }
  expect(tokens).toEqual(['Bearer one', 'Bearer two']);
});

test.each([
  [401, 'Bearer', 'The token is missing, has expired'],
  [403, 'Bearer scope="tasks:write" error="insufficient_scope"', 'The token lacks the scope "tasks:write".'],
  [403, undefined, 'The token lacks the scope of this operation.'],
  [429, undefined, 'Message'],
])('an error %i of the gateway says what to do (%s)', async (status, challenge, detail) => {
  const headers = challenge === undefined ? {} : { 'www-authenticate': challenge };
  const refuse = async () => Response.json({ message: 'Message' }, { status, headers });
  const rejected = await failure(createClient({ url: service.url, tries: 1, fetch: refuse }).tasks.list());
  expect(isProblem(rejected) && rejected.problem.detail).toContain(detail);
});

test('the feeds say what a request changes, with everything that it changes besides', async () => {
  const organization = await client.organizations.create({ name: 'a' });
  const project = await client.projects.create({ name: 'p', organizationId: organization.id });
  const user = await client.users.create({ name: 'u', organizationId: organization.id });
  const task = await client.tasks.create({ name: 't', projectId: project.id, userId: user.id });
  const nothing = { changed: [], removed: [] };
  const none = { organizations: nothing, projects: nothing, users: nothing, tasks: nothing, tags: nothing };
  const changed = await changesOf(client, () => client.users.delete(user.id));
  expect(changed).toEqual({
    ...none,
    users: { changed: [], removed: [user.id] },
    tasks: { changed: [task.id], removed: [] },
  });
  expect(await changesOf(client, () => client.organizations.delete(organization.id))).toEqual({
    ...none,
    organizations: { changed: [], removed: [organization.id] },
    projects: { changed: [], removed: [project.id] },
    tasks: { changed: [], removed: [task.id] },
  });
  expect(await changesOf(client, () => client.tags.list())).toEqual(none);
});
