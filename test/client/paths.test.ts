import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, ConnectionError, createClient } from '#client/index.ts';
import { withVersion } from '#client/versions.ts';

/** The client sends requests only for the path of the given id, and only to the configured service. */

let server: Server;
let url: string;
let requests: string[] = [];
let redirect: { readonly status: number; readonly location: string } | undefined;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (redirect && !request.url?.startsWith('/target')) {
      response.writeHead(redirect.status, { location: redirect.location }).end();
      return;
    }
    const id = decodeURIComponent(request.url?.split(/[/?]/)[3] ?? '');
    response
      .writeHead(200, { 'content-type': 'application/json', etag: '"version"' })
      .end(JSON.stringify({ id, data: [], totalPages: 1 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(() => {
  requests = [];
  redirect = undefined;
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
}

type Call = (client: Client, id: string) => unknown;

const collections = ['organizations', 'projects', 'users', 'tasks', 'tags'] as const;

const entity = (id: string) => withVersion({ id, name: 'x' }, '"version"') as never;

const calls: readonly (readonly [name: string, call: Call])[] = [
  ...collections.flatMap((name): [string, Call][] => {
    // The collections have the same methods with different types.
    const of = (client: Client): Client['tags'] => client[name] as unknown as Client['tags'];
    return [
      [`${name}.get(id)`, (client, id) => of(client).get(id)],
      [`${name}.replace(id)`, (client, id) => of(client).replace(id, { name: 'x' })],
      [`${name}.replace(entity)`, (client, id) => of(client).replace(entity(id), { name: 'x' })],
      [`${name}.update(id)`, (client, id) => of(client).update(id, { name: 'x' })],
      [`${name}.update(entity)`, (client, id) => of(client).update(entity(id), { name: 'x' })],
      [`${name}.change(id)`, (client, id) => of(client).change(id, () => ({ name: 'x' }))],
      [`${name}.delete(id)`, (client, id) => of(client).delete(id)],
      [`${name}.delete(entity)`, (client, id) => of(client).delete(entity(id))],
    ];
  }),
  ['organizations.archive(id)', (client, id) => client.organizations.archive(id)],
  ['organizations.archive(entity)', (client, id) => client.organizations.archive(entity(id))],
  ['projects.clone(id)', (client, id) => client.projects.clone(id)],
  ['projects.clone(entity)', (client, id) => client.projects.clone(entity(id))],
  ['organizations.projects(id).list()', (client, id) => client.organizations.projects(id).list()],
  ['organizations.users(id).list()', (client, id) => client.organizations.users(id).list()],
  ['projects.tasks(id).list()', (client, id) => client.projects.tasks(id).list()],
  ['users.tasks(id).list()', (client, id) => client.users.tasks(id).list()],
  ['tags.tasks(id).list()', (client, id) => client.tags.tasks(id).list()],
  ['tags.tasks(id).iterate()', (client, id) => client.tags.tasks(id).iterate().next()],
];

const invalidIds: readonly unknown[] = ['', '.', '..', undefined, null, 7, {}, ['..'], '\ud800'];

const unusualIds = ['...', '%2e%2e', '.%2E', 'a/../b', '../..', '?x', '#x', 'a\\..', '..\t', ' '];

describe.each(calls)('%s', (_, call) => {
  test('throws for an invalid id and sends nothing', async () => {
    for (const id of invalidIds) {
      const error = await failureOf(() => call(createClient({ url, tries: 1 }), id as string));
      expect([id, error]).toEqual([id, expect.any(TypeError)]);
      expect((error as TypeError).message).toMatch(/^An id must be /);
    }
    expect(requests).toEqual([]);
  });

  test('encodes any other id as one segment of the path', async () => {
    for (const id of unusualIds) await call(createClient({ url, tries: 1 }), id);
    const segments = requests.map((request) => request.split(/[ ?]/)[1]?.split('/') ?? []);
    const ids = new Set(segments.map(([, , , segment = '']) => decodeURIComponent(segment)));
    expect([...ids]).toEqual(unusualIds);
    for (const [, version, collection] of segments) {
      expect([version, collection]).toEqual(['v1', expect.stringMatching(/^[a-z]+$/)]);
    }
  });
});

describe.each([301, 302, 303, 307, 308])('a redirect with the status %d', (status) => {
  test.each(['GET', 'POST', 'DELETE'])('is neither followed nor retried after a %s', async (method) => {
    redirect = { status, location: `${url}/target` };
    const client = createClient({ url, token: 'secret' });
    const error = await failureOf(() => {
      if (method === 'GET') return client.tags.list();
      return method === 'POST' ? client.tags.create({ name: 'x' }) : client.tags.delete('x');
    });
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).message).toMatch(/redirect/);
    expect((error as Error).message).toContain(url);
    expect(requests).toHaveLength(1);
  });
});

test.each([
  ['follows redirects', { redirected: true }],
  ['returns redirects', { status: 302 }],
  ['hides redirects', { type: 'opaqueredirect', status: 0 }],
])('a redirect throws when the given fetch %s', async (_, shape) => {
  const inits: RequestInit[] = [];
  const client = createClient({
    url,
    fetch: async (__, init) => {
      inits.push(init ?? {});
      const usual = {
        status: 200,
        redirected: false,
        type: 'basic',
        headers: new Headers(),
        text: async () => '{}',
      };
      return { ...usual, ...shape } as Response;
    },
  });
  const error = await failureOf(() => client.tags.list());
  expect(error).toBeInstanceOf(ConnectionError);
  expect((error as Error).message).toMatch(/redirect/);
  expect(inits.map((init) => init.redirect)).toEqual(['error']);
});
