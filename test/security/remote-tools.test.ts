import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Service } from '#lib/local/service.ts';
import { tools } from '../../client/mcp/tools.ts';
import { audience, type Issuer, startIssuer } from '../support/issuer.ts';
import { startTestService } from '../support/local-service.ts';
import { toolCalls } from '../support/tool-calls.ts';

/** The tools for agents at `POST /mcp`: a call has the rights of its token, and is the same request over HTTP. */

let issuer: Issuer;
let service: Service;
let events: APIGatewayProxyEventV2[] = [];
let tokens: Readonly<Record<string, string>>;

const allScopes = ['organizations', 'projects', 'users', 'tasks', 'tags']
  .flatMap((name) => [`${name}:read`, `${name}:write`])
  .join(' ');

beforeAll(async () => {
  issuer = await startIssuer();
  service = await startTestService({
    authentication: { issuer: issuer.url, audience: [audience] },
    tenantRate: 100_000,
    // The handler replaces the text of the body.
    onEvent: (event) => events.push(structuredClone(event)),
  });
  tokens = {
    'all scopes': await issuer.token({ tenant: 'acme', sub: 'ada', scope: allScopes }),
    'one scope': await issuer.token({ tenant: 'acme', sub: 'bob', scope: 'tasks:read' }),
    'another tenant': await issuer.token({ tenant: 'other', sub: 'eve', scope: allScopes }),
    'no tenant': await issuer.token({ tenant: undefined, scope: allScopes }),
  };
});

afterAll(async () => {
  await service.stop();
  await issuer.stop();
});

beforeEach(() => {
  events = [];
});

const revision = '2025-06-18';

function post(body: object | string, headers: Record<string, string> = {}, token = tokens['all scopes']) {
  return fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

interface Answer {
  readonly result?: {
    readonly content: readonly [{ readonly text: string }];
    readonly isError?: boolean;
    readonly tools?: readonly object[];
    readonly protocolVersion?: string;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

async function answerOf(method: string, params: object, token?: string): Promise<Answer> {
  const response = await post(message(method, params), { 'mcp-protocol-version': revision }, token);
  expect(response.headers.get('content-type')).toBe('application/json');
  return (await response.json()) as Answer;
}

describe.each(['all scopes', 'one scope', 'another tenant', 'no tenant'])('with a token with %s', (name) => {
  test.each(toolCalls)(
    '$name is one request with the token, and its answer is that of the request',
    async ({ name: tool, arguments: args }) => {
      const token = tokens[name] as string;
      const { result } = await answerOf('tools/call', { name: tool, arguments: args }, token);
      const [own, event, ...more] = events;
      expect([own?.routeKey, more]).toEqual(['POST /mcp', []]);
      const text = result?.content[0].text ?? '';
      if (!event) {
        // The gateway has refused the request: the token lacks its scope.
        expect([result?.isError, text]).toEqual([true, expect.stringContaining('"code":"forbidden"')]);
        return;
      }
      const { requestContext, rawPath, rawQueryString, headers, ...sent } = event;
      const body = sent.body && Buffer.from(sent.body, sent.isBase64Encoded ? 'base64' : 'utf8');
      expect(headers['authorization']).toBe(`Bearer ${token}`);
      const { method } = requestContext.http;
      expect('idempotency-key' in headers).toBe(method === 'POST');
      // The same request, over HTTP. A creation has its key again, so it is the same one.
      const response = await fetch(`${service.url}${rawPath}?${rawQueryString}`, {
        method,
        headers: Object.fromEntries(
          Object.entries(headers).filter(([header]) =>
            /^(?:authorization|content-type|idempotency-key)$/.test(header),
          ),
        ) as Record<string, string>,
        ...(body && { body }),
      });
      expect(result?.isError ?? false).toBe(!response.ok);
      if (response.ok) return;
      const { type } = (await response.json()) as { type: string };
      expect(JSON.parse(text)).toMatchObject({ code: type.split('#')[1], status: response.status });
    },
  );
});

test('a tenant does not see what a tool of another one has created', async () => {
  await answerOf('tools/call', { name: 'createTag', arguments: { name: 'Only ours' } });
  const listed = async (token?: string) => {
    const args = { collection: 'tags', filters: { name: 'Only ours' } };
    const { result } = await answerOf('tools/call', { name: 'list', arguments: args }, token);
    return JSON.parse(result?.content[0].text ?? '').total;
  };
  expect([await listed(), await listed(tokens['another tenant'])]).toEqual([1, 0]);
});

test('lists the tools that the program on the machine of the user has', async () => {
  const { result } = await answerOf('tools/list', {});
  expect(result?.tools).toEqual(tools.map(({ request: _request, ...tool }) => tool));
});

test.each([
  ['the handshake of a revision before', revision, revision],
  ['an unknown revision is answered with one that the server knows', '1999-01-01', /^20\d\d-\d\d-\d\d$/],
])('%s', async (_, protocolVersion, expected) => {
  const clientInfo = { name: 'test', version: '1' };
  const { result } = await answerOf('initialize', { protocolVersion, capabilities: {}, clientInfo });
  expect(result?.protocolVersion).toMatch(expected);
});

test('the present revision needs no handshake, and there is nothing to subscribe to', async () => {
  const present = '2026-07-28';
  const envelope = {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': present,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const send = async (method: string, params: object = {}, version = present) => {
    const body = message(method, { ...params, ...envelope });
    const response = await post(body, { 'mcp-protocol-version': version, 'mcp-method': method });
    return { status: response.status, answer: (await response.json()) as Answer };
  };
  expect((await send('tools/list')).answer.result?.tools).toHaveLength(tools.length);
  const refused = await send('subscriptions/listen', { notifications: {} });
  expect(refused.answer.error).toBeDefined();
  expect((await send('tools/list', {}, '2999-01-01')).status).toBe(400);
});

test.each<[string, object | string, Record<string, string>, number]>([
  ['no JSON', '{', {}, 400],
  ['another type of content', message('tools/list'), { 'content-type': 'text/plain' }, 415],
  ['an unknown tool', message('tools/call', { name: 'drop', arguments: {} }), {}, 200],
  ['an unknown method', message('resources/list'), {}, 200],
])('%s gets an error of the protocol, and no request is sent', async (_, body, headers, status) => {
  const response = await post(body, headers);
  expect(response.status).toBe(status);
  expect(((await response.json()) as Answer).error?.message).toEqual(expect.any(String));
  expect(events).toHaveLength(1);
});

test.each(['GET', 'DELETE', 'PUT'])('%s is not allowed: there are no sessions', async (method) => {
  const response = await fetch(`${service.url}/mcp`, {
    method,
    headers: { authorization: `Bearer ${tokens['all scopes']}` },
  });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
});

test('pages of other origins are refused, by the settings', async () => {
  process.env['ALLOWED_ORIGINS'] = 'https://app.example.com';
  const statusOf = async (origin: string): Promise<number> =>
    (await post(message('tools/list'), { origin })).status;
  // The gateway of this machine lets pages of this machine through.
  expect(await statusOf(service.url)).toBe(403);
  process.env['ALLOWED_ORIGINS'] = `https://app.example.com,${service.url}`;
  expect(await statusOf(service.url)).toBe(200);
  process.env['ALLOWED_ORIGINS'] = '*';
});

describe('without a token', () => {
  test('the request is refused', async () => {
    const response = await fetch(`${service.url}/mcp`, { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  test('a client finds out where its user signs in', async () => {
    const response = await fetch(`${service.url}/.well-known/oauth-protected-resource/mcp`);
    expect(await response.json()).toEqual({
      resource: `${service.url}/mcp`,
      authorization_servers: [issuer.url],
      scopes_supported: expect.arrayContaining(['tasks:read', 'tasks:write']),
      bearer_methods_supported: ['header'],
    });
  });

  test('a client is not told to request what shows all private projects', async () => {
    const response = await fetch(`${service.url}/.well-known/oauth-protected-resource/mcp`);
    expect(await response.text()).not.toContain('all-projects');
  });

  test('a page of another origin may send what an agent sends, and sees why a token is missing', async () => {
    const asked = 'authorization,content-type,mcp-method,mcp-name,mcp-protocol-version';
    const headers = {
      origin: 'http://localhost:5173',
      'access-control-request-method': 'POST',
      'access-control-request-headers': asked,
    };
    const preflight = await fetch(`${service.url}/mcp`, { method: 'OPTIONS', headers });
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(',') ?? [];
    expect(allowed).toEqual(expect.arrayContaining(asked.split(',')));
    const refused = await fetch(`${service.url}/mcp`, { method: 'POST', headers, body: '{}' });
    expect(refused.headers.get('access-control-expose-headers')).toContain('www-authenticate');
  });

  test('an issuer has a document of its own, and a user pool that of this service, which says that it takes PKCE', async () => {
    const path = '/.well-known/oauth-authorization-server';
    expect((await fetch(service.url + path)).status).toBe(404);
    process.env['SIGN_IN_URL'] = 'https://sign-in.example.com';
    try {
      expect(await (await fetch(service.url + path)).json()).toMatchObject({
        issuer: service.url,
        authorization_endpoint: 'https://sign-in.example.com/oauth2/authorize',
        token_endpoint: 'https://sign-in.example.com/oauth2/token',
        code_challenge_methods_supported: ['S256'],
      });
      const resource = await fetch(`${service.url}/.well-known/oauth-protected-resource/mcp`);
      expect(await resource.json()).toMatchObject({ authorization_servers: [service.url] });
    } finally {
      delete process.env['SIGN_IN_URL'];
    }
  });
});
