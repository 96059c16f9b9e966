import { connect } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Service } from '#lib/local/service.ts';
import { startTestService } from '#test/support/local-service.ts';

let service: Service;
let last: APIGatewayProxyEventV2;

beforeAll(async () => {
  service = await startTestService({
    onEvent: (event) => {
      // The pipeline replaces the text of the body by its value.
      last = structuredClone(event);
    },
  });
});

afterAll(() => service.stop());

/** Sends bytes unchanged. @returns the whole response. */
function raw(request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(service.url).port), 'localhost', () => socket.write(request));
    let response = '';
    socket.on('data', (chunk) => {
      response += chunk;
    });
    socket.on('close', () => resolve(response));
    socket.on('error', reject);
  });
}

const get = (path: string, headers: Record<string, string> = {}) => fetch(service.url + path, { headers });

test('converts header names to lower case, joins repeated headers and separates cookies', async () => {
  await raw(
    'GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX-Two: a\r\nx-two: b\r\nIf-Match: "1"\r\nif-match: "2"\r\nCookie: c=1; d=2\r\nConnection: close\r\n\r\n',
  );
  expect(last.headers).toMatchObject({ 'x-two': 'a,b', 'if-match': '"1","2"' });
  expect(last.headers).not.toHaveProperty('cookie');
  expect(last.cookies).toEqual(['c=1', 'd=2']);
});

test('passes a header named __proto__', async () => {
  await raw('GET /v1/health HTTP/1.1\r\nHost: localhost\r\n__proto__: y\r\nConnection: close\r\n\r\n');
  expect(Object.entries(last.headers)).toContainEqual(['__proto__', 'y']);
});

test('joins repeated query keys, and keeps the raw query string', async () => {
  await get('/v1/projects?status=a&status=b&name=x%20y');
  expect(last.queryStringParameters).toEqual({ status: 'a,b', name: 'x y' });
  expect(last.rawQueryString).toBe('status=a&status=b&name=x%20y');
});

test('omits optional keys instead of sending empty values', async () => {
  await get('/v1/health');
  for (const key of ['body', 'pathParameters', 'queryStringParameters', 'cookies'])
    expect(last).not.toHaveProperty(key);
  expect(last.isBase64Encoded).toBe(false);
});

test('decodes the path and its parameters, and cuts the path at a decoded "?"', async () => {
  await get('/v1/projects/a%20b%2Fc');
  expect(last).toMatchObject({
    rawPath: '/v1/projects/a b/c',
    pathParameters: { id: 'a b/c' },
    routeKey: 'GET /v1/projects/{id}',
  });
  await get('/v1/projects/a%3Fb');
  expect(last.rawPath).toBe('/v1/projects/a');
});

test.each([
  ['application/json', '{"name":"é"}', false],
  ['application/merge-patch+json; charset=utf-8', '{}', false],
  ['text/plain', 'hello', false],
  ['application/octet-stream', 'hello', true],
  [undefined, '{"name":"x"}', true],
])('passes a body of type %s as text or in Base64', async (type, text, isBase64Encoded) => {
  const body = new TextEncoder().encode(text);
  await fetch(`${service.url}/v1/projects`, {
    method: 'POST',
    body,
    ...(type && { headers: { 'content-type': type } }),
  });
  expect(last.isBase64Encoded).toBe(isBase64Encoded);
  expect(Buffer.from(last.body ?? '', isBase64Encoded ? 'base64' : 'utf8').toString()).toBe(text);
});

test('passes a body that is not UTF-8 as malformed JSON', async () => {
  const body = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]);
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${service.url}/v1/projects`, { method: 'POST', body, headers });
  expect(response.status).toBe(400);
});

test('sends requests without a route to $default', async () => {
  expect((await get('/nothing/here')).status).toBe(404);
  expect(last).toMatchObject({ routeKey: '$default', rawPath: '/nothing/here' });
  expect((await get('/v1/%zz')).status).toBe(404);
  expect((await get('/v1/projects/%zz')).status).toBe(404);
  const noId = await fetch(`${service.url}/v1/projects//clone`, { method: 'POST' });
  expect([noId.status, last.routeKey]).toEqual([404, '$default']);
  const response = await fetch(`${service.url}/v1/health`, { method: 'DELETE' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
});

test('treats a path that starts with two slashes as a path, not as a host', async () => {
  const response = await raw('GET //x:y HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(response).toContain('"instance":"/.//x:y"');
});

test('has a route for HEAD', async () => {
  await fetch(`${service.url}/v1/projects`, { method: 'HEAD' });
  expect(last.routeKey).toBe('HEAD /v1/projects');
});

test.each([
  ['what is not HTTP', 'NONSENSE\r\n\r\n', 400],
  ['an unknown method', 'BREW /v1/projects HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
  [
    'a head of more than 10,240 bytes',
    `GET /v1/projects?name=${'x'.repeat(12_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    431,
  ],
])('responds to %s with a problem', async (_, request, status) => {
  const [head = '', body = ''] = (await raw(request)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toContain('content-type: application/problem+json');
  expect(JSON.parse(body)).toMatchObject({ status });
});

test('responds to a body of more than 10 MB with a problem', async () => {
  const body = 'x'.repeat(10 * 1024 * 1024 + 1);
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${service.url}/v1/projects`, { method: 'POST', body, headers });
  expect([response.status, response.headers.get('content-type')]).toEqual([413, 'application/problem+json']);
});
