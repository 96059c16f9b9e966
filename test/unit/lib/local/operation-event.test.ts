import { checkHealth } from '#functions/health/contract.ts';
import { createTask, listTasks, readTask } from '#functions/tasks/contract.ts';
import { operationEvent } from '#lib/local/operation-event.ts';

test('builds the event of a body', () => {
  const event = operationEvent(createTask, { body: { name: 'Ä' } });
  expect(event).toMatchObject({
    version: '2.0',
    routeKey: 'POST /v1/tasks',
    rawPath: '/v1/tasks',
    rawQueryString: '',
    headers: { 'content-type': 'application/json', 'content-length': '13' },
    body: '{"name":"Ä"}',
    isBase64Encoded: false,
    requestContext: { http: { method: 'POST', path: '/v1/tasks', sourceIp: '127.0.0.1' } },
  });
  expect(event).not.toHaveProperty('pathParameters');
  expect(event.requestContext).not.toHaveProperty('authorizer');
});

test('sends a text as it is, with the headers of the request', () => {
  const event = operationEvent(createTask, { text: '{', headers: { 'Content-Type': 'text/plain' } });
  expect(event).toMatchObject({ body: '{', headers: { 'content-type': 'text/plain' } });
});

test('encodes the id in the path, and passes it decoded', () => {
  const event = operationEvent(readTask, { id: 'a/b' });
  expect(event).toMatchObject({
    routeKey: 'GET /v1/tasks/{id}',
    rawPath: '/v1/tasks/a/b',
    pathParameters: { id: 'a/b' },
  });
  expect(event).not.toHaveProperty('body');
});

test.each([
  [{ status: 'in progress', limit: 5 }, 'status=in+progress&limit=5'],
  [{ 'status[in]': ['a', 'b'] }, 'status%5Bin%5D=a&status%5Bin%5D=b'],
  [{ 'priority[gte]': 'high' }, 'priority%5Bgte%5D=high'],
  ['page=1&page=%', 'page=1&page=%'],
])('writes the query %j', (query, text) => {
  expect(operationEvent(listTasks, { query }).rawQueryString).toBe(text);
});

test('says how to write an operator when a query value is an object', () => {
  const query = { priority: { gte: 'high' } } as never;
  expect(() => operationEvent(listTasks, { query })).toThrow(`{ 'priority[gte]': "high" }`);
  expect(() => operationEvent(listTasks, { query: { priority: null } as never })).toThrow('"priority"');
});

test('passes claims as the authorizer does, and in the token', () => {
  const claims = { tenant: 'acme', level: 3, scope: 'tasks:read' };
  const { headers, requestContext } = operationEvent(listTasks, { claims });
  const [, payload = ''] = (headers['authorization'] ?? '').split('.');
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual(claims);
  expect(requestContext).toMatchObject({
    authorizer: {
      jwt: { claims: { tenant: 'acme', level: '3', scope: 'tasks:read' }, scopes: ['tasks:read'] },
    },
  });
  expect(operationEvent(checkHealth, { claims }).requestContext).not.toHaveProperty('authorizer');
});

test('says when an id is missing or not allowed', () => {
  expect(() => operationEvent(readTask)).toThrow('readTask needs an id: its path is /v1/tasks/{id}.');
  expect(() => operationEvent(listTasks, { id: 'x' })).toThrow(
    'listTasks takes no id: its path is /v1/tasks.',
  );
});
