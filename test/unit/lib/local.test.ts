import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Duplex, duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import type { APIGatewayProxyEventV2, Context, DynamoDBStreamEvent } from 'aws-lambda';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { recordWrites, sequencerKey } from '#functions/engine/model/change-log.ts';
import { buildCreate } from '#functions/engine/model/changes.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import { Database } from '#functions/engine/table/database.ts';
import { Deadline } from '#functions/engine/table/deadline.ts';
import { checkHealth } from '#functions/health/contract.ts';
import type { CloudEvent } from '#functions/jobs/cloud-events.ts';
import { setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
import { createTag, listTags } from '#functions/tags/contract.ts';
import { handler as createTagHandler } from '#functions/tags/create-tag.ts';
import { handler as listTagsHandler } from '#functions/tags/list-tags.ts';
import { listTasks, readTask } from '#functions/tasks/contract.ts';
import { crossOrigin } from '#lib/hosting/cors.ts';
import { copyDatabase } from '#lib/local/database-copy.ts';
import { nativeFile } from '#lib/local/engine-programs.ts';
import { EventDelivery } from '#lib/local/event-delivery.ts';
import { setFunctionEnvironment } from '#lib/local/function-environment.ts';
import { createGateway } from '#lib/local/gateway.ts';
import type { TimedResponse } from '#lib/local/http-api.ts';
import { functionContext } from '#lib/local/lambda-context.ts';
import { NewLogRecords } from '#lib/local/new-log-records.ts';
import { operationEvent } from '#lib/local/operation-event.ts';
import { type AllowedCallers, refusalOf } from '#lib/local/own-requests.ts';
import { requestJson, requestLine } from '#lib/local/request-line.ts';
import { startSchedule } from '#lib/local/schedule.ts';
import { startTestStore } from '#test/support/local-store.ts';
import { lostRequest, refused } from '#test/support/table/faults.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { VirtualTime } from '#test/support/virtual-time.ts';

const begun = Date.parse('2026-02-03T04:00:00.000Z');

let time: VirtualTime;
let store: ReturnType<typeof startTestStore>;

beforeEach(() => {
  time = new VirtualTime(1, begun);
  setTimeAndChance(time);
  store = startTestStore();
});

afterEach(() => {
  jest.restoreAllMocks();
  setTimeAndChance();
});

describe('engine programs', () => {
  const readJson = (name: string): unknown =>
    JSON.parse(readFileSync(join(__dirname, '../../..', name), 'utf8'));

  test('every optional package is the engine of a platform, and the lock file limits it to the platform', () => {
    const { optionalDependencies } = readJson('package.json') as {
      readonly optionalDependencies: Record<string, string>;
    };
    const { packages } = readJson('package-lock.json') as { readonly packages: Record<string, object> };
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const [os = '', cpu = ''] = name.replace('@dynoxide/', '').split('-');
      const file = os === 'win32' ? 'dynoxide.exe' : 'dynoxide';
      expect(nativeFile(os as NodeJS.Platform, cpu)).toBe(`${name}/${file}`);
      const locked = { version, os: [os], cpu: [cpu], optional: true };
      expect(packages[`node_modules/${name}`]).toMatchObject(locked);
    }
  });
});

test('a copy of a data file has the files that belong to it, and no others', async () => {
  const folder = temporaryFolder();
  const names = ['data', 'data-wal', 'data-shm', 'data-backup', 'data.old'];
  for (const name of names) writeFileSync(join(folder, name), '');
  const copy = await copyDatabase(join(folder, 'data'));
  expect(readdirSync(dirname(copy.databaseFile)).sort()).toEqual(['data', 'data-shm', 'data-wal']);
  copy.remove();
});

describe('event delivery', () => {
  const url = 'https://receiver.example/';
  let requests: CloudEvent[][];
  let status: number;
  let printed: jest.SpyInstance;

  beforeEach(() => {
    requests = [];
    status = 200;
    printed = jest.spyOn(console, 'error').mockImplementation(() => {});
    jest.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
      if (status === 200) requests.push(JSON.parse(String(init?.body)) as CloudEvent[]);
      return new Response('{}', { status });
    });
  });

  const log = { tenant: '@one', kind: 'tag' } as const;

  /** Sees the writes of this process. */
  let written: NewLogRecords;

  async function startDelivery(): Promise<EventDelivery> {
    written = new NewLogRecords();
    const delivery = new EventDelivery(store.table, store.tableName, url, written.written);
    await delivery.begin();
    return delivery;
  }

  /** Creates a tag. @returns its id. */
  async function create(tenant: string = log.tenant, dynamodb = written.watch(store.table)): Promise<string> {
    const database = new Database(dynamodb, store.tableName, new Deadline(300_000));
    const fields = { name: 'x', status: 'active' };
    return (await createEntity({ tenant, database }, 'tag', fields)).entity.id;
  }

  /** Puts the record of a transaction that has taken its position long before. */
  async function putRecord(position: number): Promise<string> {
    const change = buildCreate('tag', { name: 'late', status: 'active' }, begun);
    const writes = recordWrites(log.tenant, [change], {
      positions: new Map([['tag', position]]),
      time: begun,
    });
    await store.database().putItem(writes.get('tag')?.put as Item);
    return change.after.entity.id;
  }

  const subjects = (): string[] => requests.flat().map(({ subject }) => subject);

  const places = async (): Promise<unknown> =>
    (await store.database().get({ pk: '#events', sk: url }))?.['places'];

  test('posts each change once, of all tenants, and nothing that was before it began', async () => {
    await create('@one', store.table);
    const delivery = await startDelivery();
    const ids = [await create(), await create('@two')];
    await delivery.run();
    await delivery.run();
    expect(subjects().sort()).toEqual(ids.sort());
  });

  test('sends again what was not accepted, and says so once', async () => {
    const delivery = await startDelivery();
    const id = await create();
    status = 503;
    await delivery.run();
    await delivery.run();
    expect([subjects(), await places()]).toEqual([[], {}]);
    status = 200;
    await delivery.run();
    expect(subjects()).toEqual([id]);
    expect(printed).toHaveBeenCalledTimes(2);
    expect(printed).toHaveBeenNthCalledWith(1, expect.stringContaining('503'));
  });

  test('does not wait for a position without a record, and finds the record when it appears', async () => {
    const delivery = await startDelivery();
    const ids = [await create()];
    const position = await store.database().count(sequencerKey(log));
    ids.push(await create());
    await delivery.run();
    expect([subjects(), await places()]).toEqual([ids, { '@one#tag#log': 1 }]);
    ids.push(await putRecord(position));
    await delivery.run();
    expect([subjects(), await places()]).toEqual([ids, { '@one#tag#log': 3 }]);
  });

  test('a service that starts again continues at its places, with all logs', async () => {
    const first = await startDelivery();
    const ids = [await create()];
    await first.run();
    expect(await places()).toEqual({ '@one#tag#log': 1 });
    ids.push(await create(), await create('@two'));
    // It ends here.
    const second = await startDelivery();
    await second.run();
    expect(subjects().sort()).toEqual(ids.sort());
  });
});

describe('gateway', () => {
  let last: APIGatewayProxyEventV2;

  const fallback = async (event: APIGatewayProxyEventV2) => {
    last = event;
    return { statusCode: 200, headers: {}, body: '{}' };
  };

  const gateway = (
    respond: (event: APIGatewayProxyEventV2, context: Context) => Promise<object> = fallback,
    status?: number,
  ) =>
    createGateway({
      faults: () => ({ delayMs: 0, status }),
      routes: [{ method: 'GET', path: '/v1/projects/{id}', function: fallback }],
      fallback: respond,
      timeoutMs: 1_000,
      crossOrigin,
    });

  /** Opens a connection in the process of the test: the sides of the client and of the gateway. */
  function connect(server = gateway()): [client: Duplex, accepted: Duplex] {
    const pair = duplexPair();
    server.emit('connection', pair[1]);
    return pair;
  }

  /** Sends bytes, and returns the whole response. */
  async function raw(request: string | Buffer): Promise<string> {
    const [client] = connect();
    client.write(request);
    return text(client);
  }

  test.each([
    [429, 'retry-after: 1'],
    [503, 'retry-after: 1'],
    [500, undefined],
  ])('says when to send a request again after an injected %s', async (status, line) => {
    const [client] = connect(gateway(fallback, status));
    client.write('GET /v1/projects/1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    const response = await text(client);
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(/^retry-after: .*$/im.exec(response)?.[0].toLowerCase().trim()).toBe(line);
  });

  /** Sends a request with these header lines, and returns its event. */
  async function eventOf(
    line: string,
    headers: readonly string[] = [],
    body = '',
  ): Promise<APIGatewayProxyEventV2> {
    const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`];
    const head = [`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, ...length];
    expect(await raw(Buffer.from([...head, '', body].join('\r\n'), 'latin1'))).toMatch(/^HTTP\/1\.1 200 /);
    return last;
  }

  test('converts header names to lower case, joins repeated headers and separates cookies', async () => {
    const lines = [
      'X-Two: a',
      'x-two: b',
      'If-Match: "1"',
      'if-match: "2"',
      'Cookie: c=1; d=2',
      '__proto__: y',
    ];
    const { headers, cookies } = await eventOf('GET /', lines);
    expect(headers).toMatchObject({ 'x-two': 'a,b', 'if-match': '"1","2"' });
    expect(Object.entries(headers)).toContainEqual(['__proto__', 'y']);
    expect(headers).not.toHaveProperty('cookie');
    expect(cookies).toEqual(['c=1', 'd=2']);
  });

  test('joins repeated query keys, and omits optional keys instead of sending empty values', async () => {
    const event = await eventOf('GET /v1/projects?status=a&status=b&name=x%20y');
    expect(event.queryStringParameters).toEqual({ status: 'a,b', name: 'x y' });
    expect(event.rawQueryString).toBe('status=a&status=b&name=x%20y');
    const keys = ['body', 'pathParameters', 'cookies'];
    expect(keys.filter((key) => key in event)).toEqual([]);
  });

  test.each([
    ['/v1/projects/a%20b%2Fc', '/v1/projects/a b/c', 'a b/c'],
    ['/v1/projects/a%3Fb', '/v1/projects/a', 'a?b'],
    ['/v1/projects/%zz', '/v1/projects/%zz', undefined],
    ['/v1/projects//clone', '/v1/projects//clone', undefined],
    ['//x:y', '//x:y', undefined],
  ])(
    'decodes the path %s and its parameters, and sends paths without a route to $default',
    async (path, rawPath, id) => {
      const event = await eventOf(`GET ${path}`);
      expect(event).toMatchObject({
        rawPath,
        routeKey: id === undefined ? '$default' : 'GET /v1/projects/{id}',
      });
      expect(event.pathParameters?.['id']).toBe(id);
    },
  );

  test.each([
    ['application/merge-patch+json; charset=utf-8', '{}', false],
    ['text/plain', 'hello', false],
    ['application/octet-stream', 'hello', true],
    ['application/json', '{"\xff"}', true],
  ])('passes a body of type %s as text or in Base64', async (type, body, isBase64Encoded) => {
    const event = await eventOf('POST /', [`Content-Type: ${type}`], body);
    expect(event.isBase64Encoded).toBe(isBase64Encoded);
    expect(Buffer.from(event.body ?? '', isBase64Encoded ? 'base64' : 'utf8').toString('latin1')).toBe(body);
  });

  test.each([
    ['what is not HTTP', 'NONSENSE\r\n\r\n', 400],
    ['an unknown method', 'BREW /v1/projects HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    [
      'a head of more than 10,240 bytes',
      `GET /?name=${'x'.repeat(12_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      431,
    ],
    [
      'a body of more than 10 MB',
      `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10485761\r\nConnection: close\r\n\r\n${'x'.repeat(10_485_761)}`,
      413,
    ],
  ])('responds to %s with a problem', async (_, request, status) => {
    const [head = '', body = ''] = (await raw(request)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toContain('content-type: application/problem+json');
    expect(JSON.parse(body)).toMatchObject({ status });
  });

  test('gives a request 30 seconds, and keeps an idle connection longer than clients do', () => {
    const { headersTimeout, requestTimeout, keepAliveTimeout } = gateway();
    expect([headersTimeout, requestTimeout, keepAliveTimeout]).toEqual([30_000, 30_000, 310_000]);
  });

  test('tells the function that the client has closed its connection', async () => {
    let accepted: Duplex | undefined;
    const cancelled = await new Promise<AbortSignal>((arrive) => {
      const server = gateway((_, context) => {
        arrive((context as unknown as { readonly cancelled: AbortSignal }).cancelled);
        return new Promise(() => {});
      });
      const [client, side] = connect(server);
      accepted = side;
      client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    });
    expect(cancelled.aborted).toBe(false);
    accepted?.destroy();
    await turn();
    expect(cancelled.aborted).toBe(true);
  });
});

describe('departed clients', () => {
  beforeEach(() => {
    setFunctionEnvironment(store, undefined);
    delete process.env['LOG_LEVEL'];
  });

  test.each([
    ['throttled', refused('ProvisionedThroughputExceededException')],
    ['lost', lostRequest(0)],
  ])('calls that are %s are not made again after the client has gone', async (_, course) => {
    const logged = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const requests = [
      [listTagsHandler, operationEvent(listTags)],
      [createTagHandler, operationEvent(createTag, { body: { name: 'x' } })],
    ] as const;
    for (const [handler, event] of requests) {
      const departure = new AbortController();
      let calls = 0;
      store.table.intercept = () => {
        calls += 1;
        if (calls === 3) departure.abort();
        return course;
      };
      const { statusCode } = await handler(event, functionContext('r', 5_000, departure.signal));
      expect(statusCode).toBe(503);
      // Another call may have been under way at that moment.
      expect(calls).toBeLessThanOrEqual(5);
    }
    const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines.map(({ level, status }) => [level, status])).toEqual(
      requests.map(() => ['INFO', 'aborted']),
    );
    expect(lines.filter((line) => 'errors' in line)).toEqual([]);
  });
});

describe('own requests', () => {
  /** Returns the status with which a request is refused, because a web page of another site could have sent it. */
  function statusOf(method: string, headers: Readonly<Record<string, string>>, allowed: AllowedCallers = {}) {
    const rawHeaders = Object.entries(headers).flat();
    return refusalOf({ method, headers, rawHeaders }, allowed)?.status;
  }

  test.each([
    ['localhost', undefined],
    ['localhost.', undefined],
    ['app.localhost:5173', undefined],
    ['192.168.1.20:3000', undefined],
    ['[fe80::1]', undefined],
    ['API.example:8080', undefined],
    ['page.example:3000', 421],
    ['localhost.page.example', 421],
    ['127.0.0.1.page.example', 421],
    ['0x7f.0.0.1', 421],
    ['sub.api.example', 421],
    ['', 400],
    ['localhost:x', 400],
    ['localhost@page.example', 400],
  ])('the host "%s": %s', (host, status) => {
    for (const method of ['GET', 'POST', 'OPTIONS'])
      expect(statusOf(method, { host }, { hosts: ['api.example'] })).toBe(status);
  });

  test('the host stands in one header', () => {
    const rawHeaders = ['Host', 'localhost', 'host', 'localhost'];
    expect(refusalOf({ method: 'GET', headers: { host: 'localhost' }, rawHeaders }, {})?.status).toBe(400);
  });

  test.each([
    ['http://localhost:5173', undefined],
    ['http://[::1]:5173', undefined],
    ['https://app.example', undefined],
    ['http://192.168.1.20:3000', undefined],
    ['null', 403],
    ['http://app.example', 403],
    ['http://localhost.page.example:5173', 403],
    ['http://localhost@page.example', 403],
    ['', 403],
  ])('the origin "%s" may read, and write: %s', (origin, status) => {
    const headers = { host: '192.168.1.20:3000', origin };
    const allowed = { origins: ['https://app.example'] };
    for (const method of ['POST', 'DELETE', 'OPTIONS'])
      expect(statusOf(method, headers, allowed)).toBe(status);
    for (const method of ['GET', 'HEAD']) expect(statusOf(method, headers, allowed)).toBeUndefined();
    expect(statusOf('POST', headers, { origins: ['*'] })).toBeUndefined();
  });

  test.each([
    [{ host: 'page.example' }, '--allow-host page.example'],
    [{ host: 'localhost', origin: 'https://page.example' }, '--allow-origin https://page.example'],
    [{ host: 'localhost', origin: 'null' }, "--allow-origin '*'"],
  ])('the refusal of %j names the flag %s', (headers, flag) => {
    expect(refusalOf({ method: 'POST', headers, rawHeaders: [] }, {})?.flag).toBe(flag);
  });
});

describe('new log records', () => {
  let records: NewLogRecords;
  let database: Database;

  beforeEach(() => {
    records = new NewLogRecords();
    database = new Database(records.watch(store.table), store.tableName, new Deadline(300_000));
  });

  async function delivered(): Promise<DynamoDBStreamEvent['Records'][]> {
    const batches: DynamoDBStreamEvent['Records'][] = [];
    await records.deliver(async (event) => {
      batches.push(event.Records);
    });
    return batches;
  }

  const recordOf = (tenant: string) => ({
    eventName: 'INSERT',
    dynamodb: { Keys: { pk: { S: `${tenant}#tag#log` }, sk: { S: expect.stringMatching(/^r#/) } } },
  });

  test('are delivered once, when their write has succeeded', async () => {
    const tenant = randomUUID();
    await createEntity({ tenant, database }, 'tag', { name: 'x', status: 'active' });
    await database.putItem({ pk: 'acme#tag#log', sk: 'r#1' });
    await database.putItem({ pk: 'acme#tag#log', sk: '~' });
    const never = { expression: 'attribute_exists(never)' };
    await expect(database.putItem({ pk: 'acme#tag#log', sk: 'r#2' }, never)).rejects.toThrow();
    expect(await delivered()).toEqual([[recordOf(tenant), recordOf('acme')]]);
    expect(await delivered()).toEqual([]);
  });

  test('begin with a record of each log that was written before', async () => {
    await createEntity(store.session('before'), 'tag', { name: 'x', status: 'active' });
    await records.addStored(store.table, store.tableName);
    expect((await delivered()).flat()).toEqual([recordOf('before')]);
  });
});

describe('operation event', () => {
  test('has the id decoded, and says when it is missing or not allowed', () => {
    expect(operationEvent(readTask, { id: 'a/b' })).toMatchObject({
      routeKey: 'GET /v1/tasks/{id}',
      pathParameters: { id: 'a/b' },
    });
    expect(() => operationEvent(readTask)).toThrow('needs an id');
    expect(() => operationEvent(listTasks, { id: 'x' })).toThrow('takes no id');
  });

  test('passes claims as the authorizer does, and in the token', () => {
    const claims = { tenant: 'acme', level: 3, scope: 'tasks:read' };
    const { headers, requestContext } = operationEvent(listTasks, { claims });
    const [, payload = ''] = (headers['authorization'] ?? '').split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual(claims);
    const jwt = { claims: { tenant: 'acme', level: '3', scope: 'tasks:read' }, scopes: ['tasks:read'] };
    expect(requestContext).toMatchObject({ authorizer: { jwt } });
    expect(operationEvent(checkHealth, { claims }).requestContext).not.toHaveProperty('authorizer');
  });
});

describe('request line', () => {
  const timing = 'dynamodb;dur=66.7;desc="calls=2, read=0.5, write=9"';
  const headers = new Map([
    ['server-timing', timing],
    ['apigw-requestid', 'request'],
  ]);
  const created = { method: 'POST', path: '/v1/tasks', rawQueryString: '', status: 201 };
  const response: TimedResponse = { ...created, headers, text: '{}', isAborted: false, durationMs: 66.74 };

  test('has no character that a terminal could interpret as an escape', () => {
    expect(requestLine({ ...response, path: '/\u009b2J' })).toContain('/%C2%9B2J');
  });

  test('says that a request was aborted, whatever its response would have been', () => {
    const aborted = { ...response, status: 503, isAborted: true };
    expect(requestLine(aborted)).toMatch(/^POST +aborted +67 ms/);
    expect(JSON.parse(requestJson(aborted, new Date(0)))).toHaveProperty('status', 'aborted');
    expect(requestLine({ ...response, status: 503 })).toMatch(/^POST +503 /);
  });

  test.each([
    ['access_token=secret', 'access_token=***'],
    ['status=active&Email=ada%40example.com&limit=1', 'status=active&Email=***&limit=1'],
    ['e+mail=a&emails=b&my_email=c&sortBy=email', 'e+mail=a&emails=b&my_email=c&sortBy=email'],
  ])('masks tokens and addresses in the query %s', (rawQueryString, masked) => {
    const sent = { ...response, rawQueryString };
    expect(requestLine(sent)).toContain(` /v1/tasks?${masked}`);
    expect(JSON.parse(requestJson(sent, new Date(0)))).toHaveProperty('query', masked);
  });
});

describe('schedule', () => {
  test('calls again after a failed call, never twice at once, and stops after the call in progress', async () => {
    const logged = jest.spyOn(console, 'error').mockImplementation(() => {});
    let end = (): void => {};
    const begins: number[] = [];
    const schedule = startSchedule(async () => {
      begins.push(begins.length);
      if (begins.length === 1) throw new Error('The first call fails.');
      await new Promise<void>((resolve) => {
        end = resolve;
      });
    }, 0);
    while (begins.length < 2) await turn();
    let hasStopped = false;
    const stopped = schedule.stop().then(() => {
      hasStopped = true;
    });
    await turn();
    expect(hasStopped).toBe(false);
    end();
    await stopped;
    expect(begins).toHaveLength(2);
    expect(logged).toHaveBeenCalledTimes(1);
  });
});
