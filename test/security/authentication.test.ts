import { createClient } from '#client/index.ts';
import { needsToken, scopeOf } from '#functions/contract/contract.ts';
import { routes } from '#functions/routes.ts';
import { startFetchedService } from '../support/in-process-fetch.ts';
import { audience, type Issuer, startIssuer, strangeKey } from '../support/issuer.ts';

/** Tests the authorizer of the local gateway over all operations. */

let issuer: Issuer;
let other: Issuer;
let service: Awaited<ReturnType<typeof startFetchedService>>;
let strange: Awaited<ReturnType<typeof strangeKey>>;
/** Request context of the last event. */
let last: unknown;

beforeAll(async () => {
  [issuer, other, strange] = await Promise.all([startIssuer(), startIssuer(), strangeKey()]);
  service = await startFetchedService({
    authentication: { issuer: issuer.url, audience: [audience, 'client'] },
    onEvent: ({ requestContext }) => {
      last = structuredClone(requestContext);
    },
  });
});

afterAll(async () => {
  await service?.stop();
  await Promise.all([issuer?.stop(), other?.stop()]);
});

const allScopes = [...new Set(routes.flatMap(({ contract }) => scopeOf(contract) ?? []))];
const scope = allScopes.join(' ');
const now = (): number => Math.floor(Date.now() / 1_000);
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const unsigned = (algorithm: string, claims: object): string =>
  `${encoded({ alg: algorithm, kid: 'first', typ: 'JWT' })}.${encoded(claims)}.`;
const usual = () => ({ iss: issuer.url, aud: audience, sub: 's', tenant: 'acme', scope, exp: now() + 60 });

/** A request to which the function responds with success, if the authorizer lets it pass. */
async function send(method: string, path: string, authorization?: string, body?: object): Promise<Response> {
  return service.fetch(service.url + path.replace('{id}', 'no-such-id'), {
    method,
    headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

const requests = routes.flatMap(({ contract, methods }) =>
  methods.map((method) => ({
    method,
    path: contract.path,
    isGuarded: needsToken(contract),
    scope: scopeOf(contract),
    scopes: [scopeOf(contract), contract.additionalScope?.scope].filter(Boolean).join(' '),
  })),
);
const guarded = requests.filter((request) => request.isGuarded);
const open = requests.filter((request) => !request.isGuarded);

interface Attempt {
  readonly title: string;
  readonly status: 401 | 403;
  /** Which operations refuse it: by default one, because one authorizer and one reader of tenants serve all of them. */
  readonly of?: 'every operation' | 'every operation with a scope';
  /** Returns the `Authorization` header for an operation with this scope. */
  header(needed: string): Promise<string | undefined>;
}

const bearer = async (token: Promise<string> | string): Promise<string> => `Bearer ${await token}`;

const signed = (
  status: 401 | 403,
  title: string,
  claims: object,
  options?: Parameters<Issuer['token']>[1],
): Attempt => ({ title, status, header: () => bearer(issuer.token({ scope, ...claims }, options)) });

/** A token of a key that the issuer does not have. */
const foreign = (place: string, header: (jwk: object) => object): Attempt => ({
  title: `a foreign key, ${place}`,
  status: 401,
  header: () => bearer(issuer.token({ scope }, { header: header(strange.jwk), key: strange.key })),
});

const attempts: readonly Attempt[] = [
  { title: 'no token', status: 401, of: 'every operation', header: async () => undefined },
  { title: 'garbage', status: 401, header: async () => 'Bearer garbage' },
  { title: 'another scheme', status: 401, header: async () => `Basic ${await issuer.token({ scope })}` },
  { title: 'two tokens', status: 401, header: async () => `Bearer ${await issuer.token({ scope })} more` },
  { title: 'no signature', status: 401, header: () => bearer(unsigned('none', usual())) },
  { title: 'a missing signature', status: 401, header: () => bearer(unsigned('RS256', usual())) },
  {
    title: 'claims that were changed',
    status: 401,
    header: async () => {
      const [head, , signature] = (await issuer.token({ scope: '' })).split('.');
      return `Bearer ${head}.${encoded(usual())}.${signature}`;
    },
  },
  // An algorithm that the issuer does not use, with a shared secret.
  { title: 'a shared secret', status: 401, header: () => bearer(`${unsigned('HS256', usual())}c2VjcmV0`) },
  foreign('in no header', () => ({})),
  foreign('in the header jwk', (jwk) => ({ jwk })),
  foreign('in the headers jwk and jku', (jwk) => ({ jwk, jku: `${issuer.url}/keys` })),
  foreign('in the headers jwk and kid', (jwk) => ({ jwk, kid: '../../dev/null' })),
  signed(401, 'an unknown key id', {}, { header: { kid: 'second' } }),
  signed(401, 'no key id', {}, { header: { kid: undefined } }),
  signed(401, 'a time that is over', { exp: now() - 5 }),
  signed(401, 'a future start of validity', { nbf: now() + 600 }),
  signed(401, 'a future issue time', { iat: now() + 600 }),
  signed(401, 'no expiry', { exp: undefined }),
  { title: 'another issuer', status: 401, header: () => bearer(other.token({ scope })) },
  {
    title: 'the name of another issuer, signed with the right key',
    status: 401,
    header: () => bearer(issuer.token({ scope, iss: other.url })),
  },
  signed(401, 'another audience', { aud: 'other' }),
  signed(401, 'another audience, with the right client id', { aud: 'other', client_id: 'client' }),
  {
    title: 'all scopes except the required one',
    status: 403,
    of: 'every operation with a scope',
    header: (needed) =>
      bearer(issuer.token({ scope: allScopes.filter((name) => name !== needed).join(' ') })),
  },
  { ...signed(403, 'no tenant', { tenant: undefined }), of: 'every operation' },
  signed(403, 'an empty tenant', { tenant: '' }),
  signed(403, 'several tenants', { tenant: ['a', 'b'] }),
  // API Gateway passes each of these as text.
  ...[null, 1.5, true, {}].map((tenant) =>
    signed(403, `the tenant ${JSON.stringify(tenant)}, which is not text`, { tenant }),
  ),
  signed(403, 'a very long tenant', { tenant: 'x'.repeat(300) }),
];

test.each(attempts)('with $title: $status', async ({ status, of, header }) => {
  const refused = of === 'every operation with a scope' ? guarded.filter(({ scope }) => scope) : guarded;
  const headers = new Map<string, string | undefined>();
  for (const { method, path, scope: needed = '' } of of ? refused : refused.slice(0, 1)) {
    // A signature takes as long as a request.
    if (!headers.has(needed)) headers.set(needed, await header(needed));
    const response = await send(method, path, headers.get(needed));
    expect(`${response.status} ${method} ${path}`).toBe(`${status} ${method} ${path}`);
  }
});

test.each([undefined, 'Bearer garbage'])('operations that need no token respond, with %s', async (header) => {
  for (const { method, path } of open) {
    const response = await send(method, path, header);
    expect(`${response.status} ${method} ${path}`).toBe(`200 ${method} ${path}`);
  }
});

describe('with a valid token', () => {
  test.each([
    { aud: ['other', audience], scope: 'tags:read' },
    { aud: undefined, client_id: 'client', scope: 'tags:read' },
    { scp: ['tags:read'] },
  ])('accepts %j, with a scheme and without', async (claims) => {
    const token = await issuer.token(claims);
    for (const header of [token, `Bearer ${token}`])
      expect((await send('GET', '/v1/tags', header)).status).toBe(200);
  });

  test('every operation accepts its own scope', async () => {
    for (const { method, path, scopes: own } of guarded) {
      const response = await send(method, path, await bearer(issuer.token({ scope: own })));
      expect([401, 403]).not.toContain(response.status);
      expect(response.status).toBeLessThan(500);
    }
  });

  test('a clone that includes tasks needs the scope to write tasks, one without tasks does not', async () => {
    const writer = await bearer(issuer.token({ scope: 'organizations:write projects:write' }));
    const made = async (path: string, body: object): Promise<string> =>
      ((await (await send('POST', path, writer, body)).json()) as { id: string }).id;
    const organizationId = await made('/v1/organizations', { name: 'O' });
    const project = await made('/v1/projects', { name: 'P', organizationId });
    const clone = async (scopes: string, body?: object) =>
      send('POST', `/v1/projects/${project}/clone`, await bearer(issuer.token({ scope: scopes })), body);
    for (const body of [undefined, { include: ['tasks'] }]) {
      const refused = await clone('projects:write', body);
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({
        type: '/docs/problems#missing-scope',
        detail: expect.stringContaining('"tasks:write"'),
      });
      expect((await clone('projects:write tasks:write', body)).status).toBe(201);
    }
    expect((await clone('projects:write', { include: [] })).status).toBe(201);
    const listed = await send('GET', '/v1/projects', await bearer(issuer.token({ scope: 'projects:read' })));
    expect(await listed.json()).toMatchObject({ total: 4 });
  });
});

test('rejects a request with the response of API Gateway', async () => {
  const unauthorized = await send('GET', '/v1/tags');
  expect(await unauthorized.json()).toEqual({ message: 'Unauthorized' });
  expect(unauthorized.headers.get('www-authenticate')).toBe('Bearer');
  const forbidden = await send('GET', '/v1/tags', await bearer(issuer.token({ scope: 'tags:write' })));
  expect(await forbidden.json()).toEqual({ message: 'Forbidden' });
  expect(forbidden.headers.get('www-authenticate')).toBe(
    'Bearer scope="tags:read" error="insufficient_scope"',
  );
});

test('passes claims as text, and arrays in brackets', async () => {
  const claims = { scope: 'tags:read', groups: ['a', 'b'], level: 3, isAdmin: true };
  await send('GET', '/v1/tags', await bearer(issuer.token(claims)));
  expect(last).toMatchObject({
    authorizer: {
      jwt: {
        claims: { groups: '[a b]', level: '3', isAdmin: 'true', tenant: 'acme' },
        scopes: ['tags:read'],
      },
    },
  });
});

describe('tenants', () => {
  const as = async (tenant: string) => bearer(issuer.token({ scope, tenant }));
  test.each([
    ['a#tag', 'a'],
    ['a', 'a#tag'],
    ['public', '@public'],
    ['A', 'a'],
  ])('%j and %j cannot see data of each other', async (one, another) => {
    const name = `Secret of ${one}, kept from ${another}`;
    expect((await send('POST', '/v1/tags', await as(one), { name })).status).toBe(201);
    const listed = await (await send('GET', '/v1/tags', await as(another))).json();
    expect(JSON.stringify(listed)).not.toContain(name);
  });

  describe('an idempotency key', () => {
    const create = async (claims: object, name = 'same', key = 'of the caller') =>
      service.fetch(`${service.url}/v1/tags`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': key,
          authorization: await bearer(issuer.token({ scope, tenant: 'keys', ...claims })),
        },
        body: JSON.stringify({ name }),
      });
    const idOf = async (response: Response): Promise<string> => {
      expect(response.status).toBe(201);
      return ((await response.json()) as { id: string }).id;
    };

    test('belongs to the subject of the token', async () => {
      const first = await idOf(await create({ sub: 'ada' }));
      for (const other of [{ sub: 'grace' }, { sub: 'ada', tenant: 'another' }])
        expect(await idOf(await create(other))).not.toBe(first);
      expect(await idOf(await create({ sub: 'ada', client_id: 'another device' }))).toBe(first);
      expect((await create({ sub: 'grace' }, 'another body')).status).toBe(422);
    });

    test('is not needed to apply a change of the client once: it recognizes what it has written', async () => {
      const token = () => issuer.token({ scope, tenant: 'nobody', sub: undefined });
      let lost = 0;
      const lossy: typeof fetch = async (input, init) => {
        const response = await service.fetch(input, init);
        if (init?.method === 'GET' || response.status !== 200) return response;
        lost += 1;
        throw new TypeError('terminated');
      };
      const made = await service.fetch(`${service.url}/v1/tasks`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: await bearer(token()) },
        body: JSON.stringify({ name: 'a', estimate: 0 }),
      });
      const id = await idOf(made);
      const { tasks } = createClient({ url: service.url, token, fetch: lossy });
      const task = await tasks.change(id, ({ estimate }) => ({ estimate: (estimate ?? 0) + 1 }));
      expect(task.estimate).toBe(1);
      await tasks.replace(task, { name: ' b ' });
      await expect(tasks.update(task, { name: 'b' })).rejects.toThrow('412');
      expect(lost).toBe(2);
    });

    test('belongs to the client when the token has no subject, and never to a subject of the same name', async () => {
      const first = await idOf(await create({ sub: undefined, client_id: 'grace' }));
      expect(await idOf(await create({ sub: undefined, client_id: 'grace' }))).toBe(first);
      expect(await idOf(await create({ sub: 'grace' }))).not.toBe(first);
    });

    test.each([{}, { sub: 7 }, { sub: '' }])('is 400 for a token that names neither, %j', async (claims) => {
      const response = await create({ sub: undefined, ...claims }, 'same', 'without a caller');
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ errors: [{ parameter: 'Idempotency-Key' }] });
    });
  });

  test('the tenant claim can have another name', async () => {
    // The functions of one process share a table and an environment, so this test comes last.
    const renamed = await startFetchedService({
      authentication: { issuer: issuer.url, audience: [audience] },
      tenantClaim: 'org_id',
    });
    const read = async (claims: object): Promise<number> => {
      const authorization = await bearer(issuer.token({ scope, ...claims }));
      return (await renamed.fetch(`${renamed.url}/v1/tags`, { headers: { authorization } })).status;
    };
    expect([await read({ org_id: 'a' }), await read({})]).toEqual([200, 403]);
    await renamed.stop();
  });
});
