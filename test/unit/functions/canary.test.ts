import { text } from 'node:stream/consumers';
import { handler } from '#functions/canary/use-service.ts';
import type { Service } from '#lib/local/service.ts';
import { startResponder, startServer, type TestServer } from '#test/support/http-server.ts';
import { audience, type Issuer, startIssuer } from '#test/support/issuer.ts';
import { startTestService } from '#test/support/local-service.ts';

/** The function against a service that requires tokens, through a gateway that fails, and with a token endpoint such as that of Cognito. */

const tenant = 'canary';

let issuer: Issuer;
let service: Service;
let tokenEndpoint: TestServer;
let gateway: TestServer;
let tokens = 0;
let requests: string[] = [];
/** Responds instead of the service. */
let fault: (method: string, path: string) => object | number | undefined = () => undefined;

beforeAll(async () => {
  issuer = await startIssuer();
  const token = await issuer.token({ tenant, scope: 'tags:read tags:write' });
  service = await startTestService({ authentication: { issuer: issuer.url, audience: [audience] } });
  tokenEndpoint = await startResponder(({ headers }, body) => {
    tokens += 1;
    const isRight =
      headers.authorization === `Basic ${btoa('id:a%2Bb')}` &&
      body === 'audience=api&grant_type=client_credentials';
    return isRight ? { body: { access_token: token, expires_in: 3_600 } } : { status: 400 };
  });
  gateway = await startServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push(`${method} ${url.replace(/[\da-f-]{36}/, '{id}').replace(/name=.*/, 'name=')}`);
    const body = await text(request);
    const found = fault(method, url);
    if (typeof found === 'number') return response.writeHead(found).end();
    const real = await fetch(service.url + url, {
      method,
      headers: {
        authorization: String(headers.authorization),
        ...(body && { 'content-type': String(headers['content-type']) }),
      },
      ...(body && { body }),
    });
    const content =
      real.status === 204 ? undefined : JSON.stringify({ ...((await real.json()) as object), ...found });
    return response.writeHead(real.status).end(content);
  });
  Object.assign(process.env, {
    API_URL: gateway.url,
    // What an issuer needs besides.
    TOKEN_URL: `${tokenEndpoint.url}?audience=api`,
    CLIENT_ID: 'id',
    CLIENT_SECRET: 'a+b',
  });
});

beforeEach(() => {
  requests = [];
  fault = () => undefined;
});

afterAll(async () => {
  for (const one of [gateway, tokenEndpoint, service, issuer]) await one.stop();
});

const rest = [
  'PATCH /v1/tags/{id}',
  'GET /v1/tags?name=',
  'DELETE /v1/tags/{id}',
  'GET /v1/tags?name=',
  'POST /v1/tags/{id}/restore',
];

test('the canary fails without the secret of its client', async () => {
  process.env['CLIENT_SECRET'] = 'other';
  await expect(handler()).rejects.toThrow('The token endpoint responded with 400.');
  process.env['CLIENT_SECRET'] = 'a+b';
});

test('the canary changes, lists, deletes and restores one tag, with one token for all runs', async () => {
  tokens = 0;
  await handler();
  expect(requests).toEqual(['GET /v1/tags?limit=1', 'POST /v1/tags', ...rest]);
  requests = [];
  await handler();
  expect(requests).toEqual(['GET /v1/tags?limit=1', ...rest]);
  expect(tokens).toBe(1);
});

test.each(['GET', 'PATCH', 'DELETE', 'POST'])(
  'the canary fails when %s fails, and the next run succeeds',
  async (verb) => {
    fault = (method) => (method === verb ? 503 : undefined);
    await expect(handler()).rejects.toThrow(new RegExp(`^${verb} /v1/tags\\S* responded with 503\\.$`));
    fault = () => undefined;
    await handler();
  },
);

test.each([0, 2])('the canary fails when a list has the total %i after a change', async (total) => {
  fault = (_, path) => (path.includes('name=') ? { total } : undefined);
  await expect(handler()).rejects.toThrow(`A list has the total ${total} instead of 1.`);
});

test('the canary fails when a list has what was deleted', async () => {
  let lists = 0;
  fault = (_, path) => {
    if (!path.includes('name=')) return undefined;
    lists += 1;
    return lists === 2 ? { total: 1 } : undefined;
  };
  await expect(handler()).rejects.toThrow('A list has the total 1 instead of 0.');
});

test('a token that is refused is not used again', async () => {
  tokens = 0;
  fault = () => 401;
  await expect(handler()).rejects.toThrow('responded with 401');
  fault = () => undefined;
  await handler();
  expect(tokens).toBe(1);
});
