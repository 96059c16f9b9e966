import { scopeOf } from '#functions/contract/contract.ts';
import { routes } from '#functions/routes.ts';
import { expectProblem } from './problem.ts';
import { request } from './service.ts';

/** `GET /v1/users/me`, on a service with tokens and on one without. */

const path = '/v1/users/me';
const apiScopes = new Set(['all-projects', ...routes.flatMap(({ contract }) => scopeOf(contract) ?? [])]);

/** The claims of the token that the tests send; `undefined` without one. */
const claims = (() => {
  const [, payload] = (process.env['TOKEN'] ?? '').split('.');
  if (payload === undefined) return undefined;
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Readonly<Record<string, unknown>>;
})();

const subject = claims ? ((claims['sub'] ?? claims['client_id'] ?? null) as string | null) : null;

interface SignedIn {
  readonly subject: string | null;
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly user: { readonly id: string } | null;
}

async function me(): Promise<SignedIn> {
  const response = await request('GET', path);
  expect(response.status).toBe(200);
  return response.body as SignedIn;
}

test('returns the subject, the tenant and the scopes of the token; without tokens, all scopes of the tenant "public"', async () => {
  const found = await me();
  expect(Object.keys(found)).toEqual(['subject', 'tenant', 'scopes', 'user']);
  expect(found.subject).toBe(subject);
  if (claims) expect(Object.values(claims)).toContain(found.tenant);
  else expect(found.tenant).toBe('public');
  expect(found.scopes.every((scope) => apiScopes.has(scope))).toBe(true);
  if (!claims) expect(new Set(found.scopes)).toEqual(apiScopes);
});

test('is not the user with the id "me": HEAD works, and other methods look for this id', async () => {
  const [get, head] = [await request('GET', path), await request('HEAD', path)];
  expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', get.headers.get('etag')]);
  expect(get.headers.get('cache-control')).toBe('private, no-cache');
  const cached = await request('GET', path, { headers: { 'if-none-match': get.headers.get('etag') ?? '' } });
  expect(cached.status).toBe(304);
  expectProblem(await request('PATCH', path, { body: { name: 'x' } }), 404);
  expectProblem(await request('DELETE', path), 404);
});

test('has an id of its own: "me" is none in filters, nor in the path of tasks', async () => {
  for (const list of ['tasks?userId=me', 'tasks?userId[in]=me', 'tasks?tagIds[all]=me', 'users/me/tasks']) {
    const response = await request('GET', `/v1/${list}`);
    expectProblem(response, 400);
    expect([list, response.text]).toEqual([list, expect.stringContaining('GET /v1/users/me')]);
  }
});

test('has the methods of its path and of entities in Allow', async () => {
  const response = await request('POST', path, { body: {} });
  expectProblem(response, 405);
  expect(response.headers.get('allow')?.split(', ').sort()).toEqual([
    'DELETE',
    'GET',
    'HEAD',
    'OPTIONS',
    'PATCH',
    'PUT',
  ]);
});

test('takes no parameters', async () => {
  expectProblem(await request('GET', `${path}?expand=organization`), 400);
});
