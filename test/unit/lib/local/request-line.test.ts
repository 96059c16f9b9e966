import pc from 'picocolors';
import type { TimedResponse } from '#lib/local/http-api.ts';
import { databaseUsage, requestJson, requestLine, usageText } from '#lib/local/request-line.ts';

const timing = 'dynamodb;dur=66.7;desc="calls=2, read=0.5, write=9"';

const response: TimedResponse = {
  method: 'POST',
  path: '/v1/tasks',
  rawQueryString: '',
  status: 201,
  headers: new Map([
    ['server-timing', timing],
    ['apigw-requestid', 'request'],
  ]),
  text: '{}',
  durationMs: 66.74,
};

const plain = pc.createColors(false);

test('prints method, status, time, capacity units and path in columns', () => {
  const list = {
    ...response,
    method: 'GET',
    status: 200,
    rawQueryString: 'status=active',
    durationMs: 1_234.5,
  };
  expect(requestLine(response, plain)).toBe('POST    201     67 ms    0.5 read    9 write  /v1/tasks');
  expect(requestLine(list, plain)).toBe(
    'GET     200   1235 ms    0.5 read    9 write  /v1/tasks?status=active',
  );
});

test('colours the status only', () => {
  const colors = pc.createColors(true);
  expect(requestLine({ ...response, status: 404 }, colors)).toContain(` ${colors.yellow('404')} `);
  expect(requestLine({ ...response, status: 500 }, colors)).toContain(` ${colors.red('500')} `);
});

test('prints bytes that a terminal could interpret as escapes', () => {
  expect(requestLine({ ...response, path: '/\u009b2J' }, plain)).toContain('/%C2%9B2J');
});

test.each([
  ['access_token=secret', 'access_token=***'],
  ['email=ada@example.com', 'email=***'],
  ['status=active&Email=ada%40example.com&limit=1', 'status=active&Email=***&limit=1'],
  ['ACCESS_TOKEN=a&access_token=b', 'ACCESS_TOKEN=***&access_token=***'],
  ['%65mail=ada&access%5Ftoken=secret', '%65mail=***&access%5Ftoken=***'],
  ['email[eq]=ada&email%5BstartsWith%5D=a', 'email[eq]=***&email%5BstartsWith%5D=***'],
  ['email[in]=a,b=c', 'email[in]=***'],
  ['email=', 'email=***'],
  ['email', 'email'],
  ['e+mail=a&emails=b&my_email=c&sortBy=email', 'e+mail=a&emails=b&my_email=c&sortBy=email'],
  ['%zz=1&%E0=2', '%zz=1&%E0=2'],
])('masks tokens and addresses in the query %s', (rawQueryString, masked) => {
  const sent = { ...response, rawQueryString };
  expect(requestLine(sent, plain)).toContain(` /v1/tasks?${masked}`);
  expect(JSON.parse(requestJson(sent, new Date(0)))).toHaveProperty('query', masked);
});

test('prints a request as one line of JSON', () => {
  const line = requestJson({ ...response, rawQueryString: 'a=1' }, new Date(0));
  expect(JSON.parse(line)).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    requestId: 'request',
    method: 'POST',
    path: '/v1/tasks',
    query: 'a=1',
    status: 201,
    durationMs: 66.7,
    calls: 2,
    readUnits: 0.5,
    writeUnits: 9,
  });
});

test('reads the usage of the database from Server-Timing', () => {
  expect(databaseUsage(timing)).toEqual({ calls: 2, readUnits: 0.5, writeUnits: 9 });
  expect(databaseUsage()).toEqual({ calls: 0, readUnits: 0, writeUnits: 0 });
  expect(usageText(timing)).toBe('2 database calls, 0.5 read and 9 write units');
});
