import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import * as oauth from 'oauth4webapi';
import type { SignInIssuer } from '#lib/local/sign-in/issuer.ts';
import { startFetchedService } from '../support/in-process-fetch.ts';
import { testWorker } from '../support/test-worker.ts';

/** The issuer of `npm start -- --sign-in`, with a real client of OpenID Connect. It is for development, and for this machine only. */

let issuer: SignInIssuer;
/** The time of the issuer. */
let nowMs = 0;
let service: Awaited<ReturnType<typeof startFetchedService>>;

beforeAll(async () => {
  issuer = await (await testWorker()).startSignIn(() => nowMs);
  service = await startFetchedService({
    authentication: { issuer: issuer.url, audience: [issuer.audience] },
  });
});

afterAll(async () => {
  await service?.stop();
  await issuer?.stop();
});

const client: oauth.Client = { client_id: 'web' };
const redirectUri = 'http://localhost:5173/callback';
const insecure = { [oauth.allowInsecureRequests]: true };

interface Person {
  readonly tenant?: string;
  readonly subject?: string;
  readonly roles?: readonly string[];
  /** The scopes that stay selected on the page. Default: all. */
  readonly granted?: readonly string[];
}

const discover = async (): Promise<oauth.AuthorizationServer> => {
  const url = new URL(issuer.url);
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, insecure));
};

async function authorizationUrl(changes: Readonly<Record<string, string | undefined>> = {}): Promise<URL> {
  const url = new URL((await discover()).authorization_endpoint ?? '');
  const parameters = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    scope: 'openid tasks:read tasks:write users:read',
    state: 'state-1',
    nonce: 'nonce-1',
    code_challenge: await oauth.calculatePKCECodeChallenge('v'.repeat(43)),
    code_challenge_method: 'S256',
    ...changes,
  };
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url;
}

/** Fills in the page and sends it, as a browser does. @returns the address to which the browser is sent. */
async function signIn(
  url: URL,
  { tenant = 'acme', subject = 'ada', roles = [], granted }: Person = {},
): Promise<URL> {
  const page = await (await fetch(url)).text();
  const inputs = [
    ...page.matchAll(/<input type="(hidden|checkbox)" name="([^"]*)" value="([^"]*)"( checked)?>/g),
  ];
  const filled = new URL('/authorize', url);
  filled.search = String(new URLSearchParams({ tenant, subject }));
  for (const [, type, name = '', value = '', isChecked] of inputs) {
    const isSelected = name === 'granted' && granted ? granted.includes(value) : isChecked !== undefined;
    if (type === 'hidden' || isSelected || (name === 'role' && roles.includes(value)))
      filled.searchParams.append(name, value);
  }
  const response = await fetch(filled, { redirect: 'manual' });
  expect(response.status).toBe(302);
  return new URL(response.headers.get('location') ?? '');
}

/** Exchanges the code. @throws when the client or the issuer refuses. */
async function exchange(callback: URL, verifier = 'v'.repeat(43)) {
  const server = await discover();
  const parameters = oauth.validateAuthResponse(server, client, callback, 'state-1');
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    redirectUri,
    verifier,
    insecure,
  );
  return oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce: 'nonce-1' });
}

const tokenOf = async (person: Person = {}): Promise<string> =>
  (await exchange(await signIn(await authorizationUrl(), person))).access_token;

const send = (token: string, method: string, path: string, body?: object): Promise<Response> =>
  service.fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

const me = async (token: string) => (await (await send(token, 'GET', '/v1/users/me')).json()) as object;

describe('a sign-in with PKCE', () => {
  test('gives a token with the chosen tenant, subject and scopes, which the service accepts', async () => {
    const response = await exchange(
      await signIn(await authorizationUrl(), { tenant: 'globex', subject: 'bob' }),
    );
    expect(response).toMatchObject({
      token_type: 'bearer',
      scope: 'openid tasks:read tasks:write users:read',
    });
    expect(oauth.getValidatedIdTokenClaims(response)).toMatchObject({
      sub: 'bob',
      aud: 'web',
      nonce: 'nonce-1',
    });
    expect(await me(response.access_token)).toEqual({
      subject: 'bob',
      tenant: 'globex',
      scopes: ['users:read', 'tasks:read', 'tasks:write'],
      user: null,
    });
    expect((await send(response.access_token, 'POST', '/v1/tasks', { name: 'x' })).status).toBe(201);
    expect((await send(response.access_token, 'GET', '/v1/tags')).status).toBe(403);
  });

  test.each([
    ['roles', { roles: ['viewer'] }, ['users:read', 'tasks:read']],
    ['the page', { granted: ['tasks:read', 'tags:read'] }, ['tasks:read']],
  ])('%s can take scopes away, and add none', async (_, person, scopes) => {
    expect(await me(await tokenOf(person))).toMatchObject({ scopes });
  });
});

describe('the token endpoint refuses', () => {
  test('a wrong verifier, and the code is used then', async () => {
    const callback = await signIn(await authorizationUrl());
    for (const verifier of ['w', 'v']) {
      const error = await exchange(callback, verifier.repeat(43)).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ error: 'invalid_request' });
    }
  });

  test.each([
    ['another redirect address', { redirect_uri: 'http://localhost:5173/' }],
    ['no verifier', { code_verifier: '' }],
    ['another code', { code: 'other' }],
    ['a program that names no tenant', { grant_type: 'client_credentials' }],
  ])('%s', async (_, changes) => {
    const callback = await signIn(await authorizationUrl());
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code') ?? '',
      client_id: client.client_id,
      redirect_uri: redirectUri,
      code_verifier: 'v'.repeat(43),
      ...changes,
    });
    const response = await fetch(`${issuer.url}/token`, { method: 'POST', body: form });
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_request' }]);
  });
});

describe('a refresh token', () => {
  async function refresh(token = '') {
    const server = await discover();
    const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token, insecure);
    return oauth.processRefreshTokenResponse(server, client, response);
  }

  const firstToken = async (person: Person = {}) =>
    (await exchange(await signIn(await authorizationUrl(), person))).refresh_token;

  test('gives tokens of the same person with the same scopes, and the next refresh token', async () => {
    const first = await firstToken({ tenant: 'globex', subject: 'bob', roles: ['viewer'] });
    const second = await refresh(first);
    expect(second.scope).toBe('openid tasks:read users:read');
    expect(oauth.getValidatedIdTokenClaims(second)).toMatchObject({ sub: 'bob', aud: 'web' });
    const person = { subject: 'bob', tenant: 'globex', scopes: ['users:read', 'tasks:read'] };
    expect(await me(second.access_token)).toMatchObject(person);
    const third = await refresh(second.refresh_token);
    expect(await me(third.access_token)).toMatchObject(person);
    expect(new Set([first, second.refresh_token, third.refresh_token]).size).toBe(3);
  });

  test('that two tabs use at the same time gives each of them tokens, with which both go on', async () => {
    const first = await firstToken();
    const tabs = await Promise.all([refresh(first), refresh(first)]);
    nowMs += 3_600_000;
    const renewed = await Promise.all(tabs.map((tab) => refresh(tab.refresh_token)));
    for (const { access_token } of renewed) expect(await me(access_token)).toMatchObject({ subject: 'ada' });
  });

  test('that was used is refused after the grace period, however often it was used in it', async () => {
    const first = await firstToken();
    const { refresh_token: unused } = await refresh(first);
    nowMs += 59_999;
    await refresh(first);
    nowMs += 1;
    await expect(refresh(first)).rejects.toMatchObject({ error: 'invalid_grant', status: 400 });
    expect((await refresh(unused)).access_token).toEqual(expect.any(String));
  });

  test.each(['', 'unknown'])('%j is refused', async (token) => {
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token, client_id: 'web' });
    const response = await fetch(`${issuer.url}/token`, { method: 'POST', body });
    expect([response.status, await response.json()]).toEqual([400, { error: 'invalid_grant' }]);
  });

  test('is not given to a program', async () => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      login_hint: 'tenant=acme&subject=ada',
    });
    const response = await fetch(`${issuer.url}/token`, { method: 'POST', body });
    expect(Object.keys((await response.json()) as object).sort()).toEqual([
      'access_token',
      'expires_in',
      'scope',
      'token_type',
    ]);
  });
});

test('signing out leads to no other machine when the address has another query inside', async () => {
  const url = `${issuer.url}/endsession?a=?&post_logout_redirect_uri=https://attacker.example/`;
  const response = await fetch(url, { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([400, null]);
});

test('the configuration has nothing but what the issuer does', async () => {
  expect(await discover()).toEqual({
    issuer: issuer.url,
    authorization_endpoint: `${issuer.url}/authorize`,
    token_endpoint: `${issuer.url}/token`,
    jwks_uri: `${issuer.url}/jwks`,
    end_session_endpoint: `${issuer.url}/endsession`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    id_token_signing_alg_values_supported: ['RS256'],
    subject_types_supported: ['public'],
  });
  for (const [method, path] of [
    ['GET', 'userinfo'],
    ['POST', 'introspect'],
    ['POST', 'revoke'],
  ] as const)
    expect((await fetch(`${issuer.url}/${path}`, { method })).status).toBe(404);
  expect(await (await fetch(issuer.url)).text()).toContain('npx pm-api token local');
});

test.each([
  ['http://localhost:5173/', 302],
  ['https://attacker.example/', 400],
  ['not an address', 400],
])('signing out leads to the address %s: %i', async (post_logout_redirect_uri, status) => {
  const parameters = new URLSearchParams({ post_logout_redirect_uri });
  const response = await fetch(`${issuer.url}/endsession?${parameters}`, { redirect: 'manual' });
  const location = status === 302 ? post_logout_redirect_uri : null;
  expect([response.status, response.headers.get('location')]).toEqual([status, location]);
});

describe('the authorization endpoint', () => {
  test.each([
    undefined,
    'https://attacker.example/',
    'http://localhost.attacker.example/',
    'http://localhost@attacker.example/',
    'javascript:alert(1)',
    'javascript://a.example/',
    'com.example.app:/#fragment',
    'http://localhost/#fragment',
  ])('refuses the redirect address %j without a redirect', async (uri) => {
    const url = await authorizationUrl({ redirect_uri: uri });
    const shown = await fetch(url, { redirect: 'manual' });
    url.searchParams.set('tenant', 'a');
    url.searchParams.set('subject', 'b');
    const sent = await fetch(url, { redirect: 'manual' });
    url.pathname = '/Authorize/';
    const spelled = await fetch(url, { redirect: 'manual' });
    for (const response of [shown, sent, spelled]) {
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    }
  });

  test.each([
    'http://localhost:1/a?b=c',
    'http://[::1]:8080/',
    'https://localhost/',
    'com.example.app:/callback',
    'exp://127.0.0.1:8081/--/callback',
  ])('accepts the redirect address %s', async (uri) => {
    const callback = await signIn(await authorizationUrl({ redirect_uri: uri }));
    expect(callback.href.startsWith(uri)).toBe(true);
  });

  test.each([
    ['no PKCE', { code_challenge: undefined }],
    ['the plain method', { code_challenge_method: 'plain' }],
  ])('refuses %s', async (_, changes) => {
    expect((await fetch(await authorizationUrl(changes), { redirect: 'manual' })).status).toBe(400);
  });

  test('takes the person from login_hint, without a page', async () => {
    const hint = 'tenant=globex&subject=bob&role=viewer';
    const response = await fetch(await authorizationUrl({ login_hint: hint }), { redirect: 'manual' });
    const { access_token: token } = await exchange(new URL(response.headers.get('location') ?? ''));
    expect(await me(token)).toMatchObject({ tenant: 'globex', scopes: ['users:read', 'tasks:read'] });
  });

  test.each([
    ['tasks:read', 'Without a role, you have all scopes that are selected below.'],
    [
      'tasks:read all-projects',
      'Without a role, you have all scopes that are selected below, except all-projects.',
    ],
  ])('says what the scopes %s are without a role', async (scope, sentence) => {
    expect(await (await fetch(await authorizationUrl({ scope }))).text()).toContain(`<p>${sentence}</p>`);
  });

  test('shows a page without scripts that nothing can frame, and that repeats no markup of the request', async () => {
    const response = await fetch(await authorizationUrl({ state: '"><script>alert(1)</script>' }));
    const page = await response.text();
    expect(page).not.toContain('<script');
    expect(response.headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*frame-ancestors 'none'/,
    );
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});

describe('foreign requests', () => {
  /** Sends a request with headers that `fetch` does not allow. */
  async function raw(method: string, path: string, headers: Record<string, string>) {
    const sent = httpRequest(issuer.url + path, { method, headers });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response;
  }

  test.each([
    ['GET', '/.well-known/openid-configuration'],
    ['GET', '/authorize'],
    ['POST', '/token'],
  ])('%s %s is refused for a host name of another site', async (method, path) => {
    expect((await raw(method, path, { host: 'attacker.example' })).statusCode).toBe(421);
  });

  test.each([
    ['POST', '/token'],
    ['GET', '/jwks'],
    ['GET', '/.well-known/openid-configuration'],
  ])('%s %s is refused for a page of another site', async (method, path) => {
    for (const origin of ['https://attacker.example', 'null']) {
      const { statusCode, headers } = await raw(method, path, { origin });
      expect([statusCode, headers['access-control-allow-origin']]).toEqual([403, undefined]);
    }
  });

  test('pages of this machine can read the configuration and exchange codes', async () => {
    for (const [method, path] of [
      ['GET', '/.well-known/openid-configuration'],
      ['OPTIONS', '/token'],
    ] as const) {
      const { headers } = await raw(method, path, { origin: 'http://localhost:5173' });
      expect(headers['access-control-allow-origin']).toBe('*');
    }
  });
});
