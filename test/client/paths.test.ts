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

const entity = (id: string) => withVersion({ id, name: 'x' }, '"version"') as never;

const calls: readonly (readonly [name: string, call: Call])[] = [
  ['tags.get(id)', (client, id) => client.tags.get(id)],
  ['tags.replace(id)', (client, id) => client.tags.replace(id, { name: 'x' })],
  ['tags.replace(entity)', (client, id) => client.tags.replace(entity(id), { name: 'x' })],
  ['tags.update(id)', (client, id) => client.tags.update(id, { name: 'x' })],
  ['tags.update(entity)', (client, id) => client.tags.update(entity(id), { name: 'x' })],
  ['tags.change(id)', (client, id) => client.tags.change(id, () => ({ name: 'x' }))],
  ['tags.delete(id)', (client, id) => client.tags.delete(id)],
  ['tags.delete(entity)', (client, id) => client.tags.delete(entity(id))],
  ['organizations.archive(id)', (client, id) => client.organizations.archive(id)],
  ['organizations.archive(entity)', (client, id) => client.organizations.archive(entity(id))],
  ['projects.clone(id)', (client, id) => client.projects.clone(id)],
  ['projects.clone(entity)', (client, id) => client.projects.clone(entity(id))],
  ['organizations.projects(id).list()', (client, id) => client.organizations.projects(id).list()],
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

test.each([
  [301, 'GET', (client: Client) => client.tags.list()],
  [303, 'POST', (client: Client) => client.tags.create({ name: 'x' })],
  [308, 'DELETE', (client: Client) => client.tags.delete('x')],
])('a redirect with the status %d is neither followed nor retried after a %s', async (status, _, call) => {
  redirect = { status, location: `${url}/target` };
  const error = await failureOf(() => call(createClient({ url, token: 'secret' })));
  expect(error).toBeInstanceOf(ConnectionError);
  expect((error as Error).message).toMatch(/redirect/);
  expect((error as Error).message).toContain(url);
  expect(requests).toHaveLength(1);
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
