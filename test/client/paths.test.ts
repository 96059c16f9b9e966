import { type Client, ConnectionError, createClient } from '#client/index.ts';
import { withVersion } from '#client/versions.ts';

/** The client sends requests only for the path of the given id, and only to the configured service. */

const url = 'http://service.example';
let sent: { readonly path: string; readonly redirect: string | undefined }[] = [];

beforeEach(() => {
  sent = [];
});

/** Returns a client of a service that has every entity, or responds in another way. */
const clientOf = (respond?: () => Response): Client =>
  createClient({
    url,
    fetch: async (input, init) => {
      const { pathname } = new URL(String(input));
      sent.push({ path: pathname, redirect: init?.redirect });
      const id = decodeURIComponent(pathname.split('/')[3] ?? '');
      return (
        respond?.() ?? Response.json({ id, data: [], totalPages: 1 }, { headers: { etag: '"version"' } })
      );
    },
  });

const failureOf = async (call: () => unknown): Promise<unknown> =>
  (async () => call())().catch((error: unknown) => error);

type Call = (client: Client, id: string) => unknown;

const entity = (id: string) => withVersion({ id, name: 'x' }, '"version"') as never;

const calls: readonly (readonly [name: string, call: Call])[] = [
  ['tags.get(id)', (client, id) => client.tags.get(id)],
  ['tags.replace(id)', (client, id) => client.tags.replace(id, { name: 'x' })],
  ['tags.update(entity)', (client, id) => client.tags.update(entity(id), { name: 'x' })],
  ['tags.change(id)', (client, id) => client.tags.change(id, () => ({ name: 'x' }))],
  ['tags.delete(entity)', (client, id) => client.tags.delete(entity(id))],
  ['organizations.archive(id)', (client, id) => client.organizations.archive(id)],
  ['projects.clone(entity)', (client, id) => client.projects.clone(entity(id))],
  ['organizations.projects(id).list()', (client, id) => client.organizations.projects(id).list()],
  ['tags.tasks(id).iterate()', (client, id) => client.tags.tasks(id).iterate().next()],
];

const invalidIds: readonly unknown[] = ['', '.', '..', undefined, null, 7, {}, ['..'], '\ud800'];

const unusualIds = ['...', '%2e%2e', '.%2E', 'a/../b', '../..', '?x', '#x', 'a\\..', '..\t', ' '];

describe.each(calls)('%s', (_, call) => {
  test('throws for an invalid id and sends nothing', async () => {
    for (const id of invalidIds) {
      const error = await failureOf(() => call(clientOf(), id as string));
      expect([id, error]).toEqual([id, expect.any(TypeError)]);
      expect((error as TypeError).message).toMatch(/^An id must be /);
    }
    expect(sent).toEqual([]);
  });

  test('encodes any other id as one segment of the path', async () => {
    for (const id of unusualIds) await call(clientOf(), id);
    const segments = sent.map(({ path }) => path.split('/'));
    const ids = new Set(segments.map(([, , , segment = '']) => decodeURIComponent(segment)));
    expect([...ids]).toEqual(unusualIds);
    for (const [, version, collection] of segments) {
      expect([version, collection]).toEqual(['v1', expect.stringMatching(/^[a-z]+$/)]);
    }
  });
});

test.each([
  ['follows redirects', { redirected: true }],
  ['returns redirects', { status: 302 }],
  ['hides redirects', { type: 'opaqueredirect', status: 0 }],
])('a redirect throws, and is not retried, when fetch %s', async (_, shape) => {
  const usual = { status: 200, redirected: false, headers: new Headers(), text: async () => '{}' };
  const error = await failureOf(() => clientOf(() => ({ ...usual, ...shape }) as Response).tags.list());
  expect(error).toBeInstanceOf(ConnectionError);
  expect((error as Error).message).toMatch(/redirect/);
  expect(sent).toEqual([{ path: '/v1/tags', redirect: 'error' }]);
});
