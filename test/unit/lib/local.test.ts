import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, connect as openSocket, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { DescribeTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEventV2, DynamoDBStreamEvent } from 'aws-lambda';
import pc from 'picocolors';
import { checkHealth } from '#functions/health/contract.ts';
import { connect } from '#functions/store/dynamodb/client.ts';
import { Database } from '#functions/store/dynamodb/database.ts';
import { Deadline } from '#functions/store/dynamodb/deadline.ts';
import type { DynamoDb } from '#functions/store/dynamodb/operations.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { recordWrites } from '#functions/store/model/change-log.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import { marginMs } from '#functions/store/model/log-timing.ts';
import { reminderKey } from '#functions/store/model/reminder.ts';
import type { Item } from '#functions/store/model/writes.ts';
import { createTask, listTasks, readTask } from '#functions/tasks/contract.ts';
import { crossOrigin } from '#lib/hosting/cors.ts';
import { closerOf } from '#lib/local/close-server.ts';
import { compileErrors } from '#lib/local/compile-errors.ts';
import { endpointOfOwner, lockDatabaseFile, prepareDatabaseFile } from '#lib/local/database-file.ts';
import { type Engine, inMemory, startEngine } from '#lib/local/dynamodb-engine.ts';
import { dynamoDbLocal, engineOnPath, nativeEngine, nativeFile } from '#lib/local/engine-programs.ts';
import { EventDelivery } from '#lib/local/event-delivery.ts';
import { createGateway, type GatewayOptions } from '#lib/local/gateway.ts';
import type { LambdaFunction, TimedResponse } from '#lib/local/http-api.ts';
import { NewLogRecords } from '#lib/local/new-log-records.ts';
import { operationEvent } from '#lib/local/operation-event.ts';
import { databaseUsage, requestJson, requestLine, usageText } from '#lib/local/request-line.ts';
import { startSchedule } from '#lib/local/schedule.ts';
import { type Service, startService } from '#lib/local/service.ts';
import { ensureTable } from '#lib/local/table.ts';
import { type EventReceiver, startEventReceiver } from '#test/support/event-receiver.ts';
import { startTestService } from '#test/support/local-service.ts';
import { startEngineStore, type TestStore } from '#test/support/local-store.ts';
import { wallClock } from '#test/support/wall-clock.ts';

describe('compile errors', () => {
  const root = join(__dirname, '../../..');
  const copy = mkdtempSync(join(tmpdir(), 'compile-'));

  beforeAll(() => {
    for (const name of ['bin', 'functions', 'lib', 'package.json', 'tsconfig.json']) {
      cpSync(join(root, name), join(copy, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  });
  afterAll(() => rmSync(copy, { recursive: true }));

  const handler = 'functions/health/check-health.ts';
  const contract = 'functions/tags/contract.ts';

  test('finds nothing in a project that compiles', async () => {
    expect(await compileErrors(root)).toEqual([]);
  });

  test.each([
    ['wrong syntax', 'const = 1;', /^functions\/health\/check-health\.ts:1:7 does not compile: .+$/],
    [
      'a missing file',
      "import './missing.ts';",
      /^functions\/health\/check-health\.ts:1:8 .*"\.\/missing\.ts"/,
    ],
    ['a missing export', "import { none } from './contract.ts';\nnone();", /check-health\.ts:1:10 .*"none"/],
  ])('names a handler with %s in one line', async (_, text, line) => {
    writeFileSync(join(copy, handler), text);
    const errors = await compileErrors(copy);
    expect(errors).toEqual([expect.stringMatching(line)]);
    expect(errors[0]).not.toContain('\n');
  });

  test('names each file once', async () => {
    writeFileSync(join(copy, handler), 'const = 1;\nlet = ;');
    writeFileSync(join(copy, contract), '}');
    const files = (await compileErrors(copy)).map((line) => line.split(':')[0]);
    expect(files.toSorted()).toEqual([handler, contract]);
  });
});

describe('database file', () => {
  /** Tests with a user who is not root. All messages of `npm start` about database files: test/cli/database-file.test.ts. */

  const folder = mkdtempSync(join(tmpdir(), 'ordinary-user-'));
  const readOnly = join(folder, 'read-only');
  const writable = join(folder, 'writable');
  const readOnlyFile = join(writable, 'read-only.sqlite');

  /** User id of "nobody". root can write everywhere. */
  const nobody = 65_534;
  const isRoot = process.geteuid?.() === 0;

  /** Runs a function as a user who is not root. */
  function asOrdinaryUser<Result>(work: () => Result): Result {
    if (isRoot) process.seteuid?.(nobody);
    try {
      return work();
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  }

  beforeAll(() => {
    mkdirSync(readOnly);
    mkdirSync(writable);
    writeFileSync(readOnlyFile, '');
    if (isRoot) chownSync(writable, nobody, nobody);
    chmodSync(folder, 0o755);
    chmodSync(readOnlyFile, 0o444);
    chmodSync(readOnly, 0o555);
  });

  afterAll(() => {
    chmodSync(readOnly, 0o755);
    rmSync(folder, { recursive: true });
  });

  test('names a folder that cannot be created', () => {
    const file = join(readOnly, 'new', 'database.sqlite');
    expect(() => asOrdinaryUser(() => prepareDatabaseFile(file))).toThrow(
      `"${join(readOnly, 'new')}" cannot be created (EACCES). Set DATABASE_FILE`,
    );
  });

  test('names a folder that is not writable', async () => {
    const file = join(readOnly, 'database.sqlite');
    await expect(asOrdinaryUser(() => lockDatabaseFile(prepareDatabaseFile(file)))).rejects.toThrow(
      `"${readOnly}" cannot be written (EACCES). Set DATABASE_FILE`,
    );
  });

  test('names a file that is not writable', () => {
    expect(() => asOrdinaryUser(() => prepareDatabaseFile(readOnlyFile))).toThrow(
      `"${readOnlyFile}" cannot be written (EACCES). Set DATABASE_FILE`,
    );
  });

  test('throws errors without a code, which a command would attribute to its port', () => {
    expect.assertions(1);
    try {
      prepareDatabaseFile(writable);
    } catch (error) {
      expect(error).not.toHaveProperty('code');
    }
  });

  test('creates folders, and holds a lock until it is released', async () => {
    const file = join(writable, 'a', 'b', 'database.sqlite');
    const lock = await lockDatabaseFile(prepareDatabaseFile(file));
    expect(readdirSync(join(writable, 'a', 'b'))).toEqual([
      expect.stringMatching(new RegExp(`^database\\.sqlite\\.lock-${process.pid}-`)),
    ]);
    await expect(lockDatabaseFile(file)).rejects.toThrow(`"${file}" is in use by process ${process.pid}.`);
    lock.release();
    expect(readdirSync(join(writable, 'a', 'b'))).toEqual([]);
    (await lockDatabaseFile(file)).release();
  });

  test('tells other commands the endpoint of the engine while the lock is held', async () => {
    const file = prepareDatabaseFile(join(writable, 'shared.sqlite'));
    expect(endpointOfOwner(file)).toBeUndefined();
    const lock = await lockDatabaseFile(file);
    expect(endpointOfOwner(file)).toBeUndefined();
    lock.publish('http://127.0.0.1:1');
    expect(endpointOfOwner(file)).toBe('http://127.0.0.1:1');
    lock.release();
    expect(endpointOfOwner(file)).toBeUndefined();
  });
});

describe('engine process', () => {
  const engineModule = pathToFileURL('lib/local/dynamodb-engine.ts').href;

  /** A program that starts an engine, and prints its process id. */
  const program = `
const { startEngine } = await import('${engineModule}');
const engine = await startEngine(':memory:');
console.log(engine.processGroup);
`;

  const isRunning = (processId: number): boolean => {
    try {
      return process.kill(processId, 0);
    } catch {
      return false;
    }
  };

  function run(source: string) {
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', source], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return { child, exit: once(child, 'exit') };
  }

  async function untilEnded(engine: number): Promise<void> {
    expect(engine).toBeGreaterThan(0);
    while (isRunning(engine)) await delay(20);
  }

  test('after unref, the process ends although its engine runs, and then the engine ends', async () => {
    const { child, exit } = run(`${program} engine.unref();`);
    const [output, [code]] = await Promise.all([text(child.stdout), exit]);
    expect(code).toBe(0);
    await untilEnded(Number(output));
  });

  test('the engine of a process that is killed ends', async () => {
    const { child, exit } = run(program);
    const [output] = await once(child.stdout, 'data');
    expect(isRunning(Number(output))).toBe(true);
    child.kill('SIGKILL');
    await exit;
    await untilEnded(Number(output));
  });
});

describe('engine programs', () => {
  test.each([
    ['linux', 'x64', '@dynoxide/linux-x64/dynoxide'],
    ['linux', 'arm64', '@dynoxide/linux-arm64/dynoxide'],
    ['darwin', 'arm64', '@dynoxide/darwin-arm64/dynoxide'],
    ['darwin', 'x64', '@dynoxide/darwin-x64/dynoxide'],
    ['win32', 'x64', '@dynoxide/win32-x64/dynoxide.exe'],
  ] as const)('the engine for %s on %s is %s', (platform, architecture, file) => {
    expect(nativeFile(platform, architecture)).toBe(file);
  });

  test('every optional package is the engine of a platform, and the lock file limits it to the platform', () => {
    const { resolve } = createRequire(__filename);
    const { optionalDependencies } = jest.requireActual<{ optionalDependencies: Record<string, string> }>(
      resolve('../../../package.json'),
    );
    const { packages } = jest.requireActual<{
      packages: Record<string, { version: string; os: string[]; cpu: string[]; optional: boolean }>;
    }>(resolve('../../../package-lock.json'));
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const [os = '', cpu = ''] = name.replace('@dynoxide/', '').split('-');
      expect(nativeFile(os as NodeJS.Platform, cpu)).toContain(`${name}/`);
      expect(packages[`node_modules/${name}`]).toMatchObject({
        version,
        os: [os],
        cpu: [cpu],
        optional: true,
      });
    }
  });

  describe('an engine on the PATH', () => {
    const folder = mkdtempSync(join(tmpdir(), 'path-'));
    const { PATH } = process.env;

    afterEach(() => {
      process.env['PATH'] = PATH;
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    test('runs, and its name has its version', async () => {
      const [binary = ''] = nativeEngine()?.command({ host: '', port: 0 }, undefined) ?? [];
      symlinkSync(binary, join(folder, 'dynoxide'));
      process.env['PATH'] = folder;
      const engine = await startEngine(inMemory, [engineOnPath]);
      expect(engine.name).toMatch(/^dynoxide \d+\.\d+\.\d+ on the PATH$/);
      await engine.stop();
    });

    test('is absent when there is no such program', () => {
      process.env['PATH'] = tmpdir();
      expect(engineOnPath()).toBeUndefined();
    });
  });

  test('names a program that cannot be started', async () => {
    const missing = () => ({
      name: 'missing',
      dataFile: (file: string) => file,
      command: () => ['/no/such/engine'],
    });
    await expect(startEngine(inMemory, [missing])).rejects.toThrow(
      'The database engine cannot be started: spawn /no/such/engine ENOENT.',
    );
  });
});

describe('event delivery', () => {
  /** Events of the local service, run by run. The time stands still between them. */

  const begun = Date.parse('2026-02-03T04:00:00.000Z');

  let store: TestStore;
  let receiver: EventReceiver;
  let printed: jest.SpyInstance;

  beforeEach(async () => {
    store = await startEngineStore();
    receiver = await startEventReceiver();
    printed = jest.spyOn(console, 'error').mockImplementation(() => {});
    setTime(0);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await receiver.stop();
    await store.stop();
  });

  /** Sets the time. @param passedMs since the test began. */
  const setTime = (passedMs: number): void => {
    jest.spyOn(Date, 'now').mockReturnValue(begun + passedMs);
  };

  const client = () => connect({}, wallClock);

  async function startDelivery(own = client()): Promise<EventDelivery> {
    const delivery = new EventDelivery(own, store.tableName, receiver.url);
    await delivery.begin();
    return delivery;
  }

  /** Creates a tag, as another process does. @returns its id. */
  async function create(tenant = '@one'): Promise<string> {
    const { entity } = await createEntity(store.session(tenant), 'tag', { name: 'x', status: 'active' });
    return entity.id;
  }

  /** Writes a record whose transaction was built some milliseconds after the beginning of the test. */
  async function putRecord(passedMs: number): Promise<string> {
    const stamp = begun + passedMs;
    const change = buildCreate('tag', { name: 'late', status: 'active' }, stamp);
    const [record] = recordWrites('@one', [change], stamp);
    await store.database().putItem(record?.put as Item);
    return change.after.entity.id;
  }

  const subjects = (): string[] => receiver.events.map(({ subject }) => subject);

  const placeOf = async (): Promise<unknown> =>
    (await store.database().get({ pk: '#events', sk: receiver.url }))?.['place'];

  test('posts each change once, of all tenants, and nothing that was before it began', async () => {
    await create();
    setTime(1_000);
    const delivery = await startDelivery();
    setTime(2_000);
    const ids = [await create(), await create('@two')];
    await delivery.run();
    await delivery.run();
    expect(subjects().sort()).toEqual(ids.sort());
  });

  test('posts a hundred events at most together, and none when there are none', async () => {
    const delivery = await startDelivery();
    setTime(1_000);
    await create();
    for (let number = 0; number < 129; number += 1) await putRecord(500);
    await delivery.run();
    expect([receiver.requests, receiver.events.length]).toEqual([2, 130]);
    await delivery.run();
    expect(receiver.requests).toBe(2);
  });

  test('sends again what was not accepted, and says so once', async () => {
    const delivery = await startDelivery();
    setTime(1_000);
    const id = await create();
    receiver.status = 503;
    await delivery.run();
    setTime(60_000);
    await delivery.run();
    expect([subjects(), await placeOf()]).toEqual([[], begun]);
    receiver.status = 200;
    await delivery.run();
    expect(subjects()).toEqual([id]);
    expect(printed.mock.calls.flat()).toEqual([
      `The events cannot be delivered to ${receiver.url}: it responded with the status 503. They are sent again every second.`,
      'The events are delivered again.',
    ]);
  });

  test('finds a record that appears after a later one', async () => {
    const delivery = await startDelivery();
    setTime(4_000);
    const ids = [await create()];
    await delivery.run();
    ids.push(await putRecord(1_000));
    setTime(marginMs + 500);
    await delivery.run();
    expect(subjects()).toEqual(ids);
  });

  test('a service that starts again continues at its place, with the logs that it knew', async () => {
    const first = await startDelivery();
    setTime(1_000);
    const ids = [await create()];
    await first.run();
    setTime(1_000 + marginMs);
    await first.run();
    expect(await placeOf()).toBe(begun + 1_000);
    setTime(2_000 + marginMs);
    ids.push(await create('@two'));
    // It ends here.
    const second = await startDelivery();
    await second.run();
    expect(subjects()).toEqual(ids);
  });

  test('an idle service writes nothing, and reads no log', async () => {
    const own = client();
    const delivery = await startDelivery(own);
    setTime(1_000);
    await create();
    await delivery.run();
    setTime(2_000 + 2 * marginMs);
    await delivery.run();
    const place = await placeOf();
    const commands: string[] = [];
    own.documents.middlewareStack.add(
      (next, { commandName = '' }) =>
        (sent) => {
          commands.push(commandName);
          return next(sent);
        },
      { step: 'initialize', name: 'count' },
    );
    setTime(60_000);
    await delivery.run();
    expect([new Set(commands), await placeOf()]).toEqual([new Set(['QueryCommand']), place]);
  });

  test('a log whose reminder is gone is known until its events are delivered', async () => {
    const delivery = await startDelivery();
    setTime(1_000);
    const id = await create();
    receiver.status = 503;
    await delivery.run();
    await store.database().deleteItem(reminderKey({ tenant: '@one', kind: 'tag' }));
    receiver.status = 200;
    setTime(13 * 3_600_000);
    await delivery.run();
    expect(subjects()).toEqual([id]);
  });
});

describe('gateway', () => {
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
      const socket = openSocket(Number(new URL(service.url).port), 'localhost', () => socket.write(request));
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
    expect([response.status, response.headers.get('content-type')]).toEqual([
      413,
      'application/problem+json',
    ]);
  });
});

describe('half sent requests', () => {
  /** Clients that open a connection and do not send a whole request. */

  const maxReceiveMs = 300;

  let server: Server;
  let invocations = 0;
  let logged: jest.SpyInstance;

  beforeAll(async () => {
    server = createGateway({
      routes: [],
      fallback: async () => {
        invocations += 1;
        return { statusCode: 200, body: '{}' };
      },
      timeoutMs: 1_000,
      crossOrigin,
      maxReceiveMs,
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });

  beforeEach(() => {
    invocations = 0;
    logged = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  });

  afterEach(() => logged.mockRestore());

  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  /** Sends text and keeps the connection open. @returns the response when the gateway ends the connection, and after how long. */
  async function hold(text: string): Promise<{ response: string; afterMs: number }> {
    const socket = openSocket((server.address() as AddressInfo).port, '127.0.0.1');
    const started = performance.now();
    socket.write(text);
    let response = '';
    socket.on('data', (chunk) => {
      response += chunk;
    });
    await once(socket, 'close');
    return { response, afterMs: performance.now() - started };
  }

  const head = 'POST /v1/tags HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

  test.each([
    ['no request', ''],
    ['half a request line', 'POST /v1/ta'],
    ['half of the headers', head],
    ['half of the body', `${head}Content-Length: 20\r\n\r\n{"name":`],
    ['half of a chunked body', `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"nam`],
  ])('ends a connection with %s', async (_, text) => {
    const { response, afterMs } = await hold(text);
    expect(response).toMatch(/^HTTP\/1\.1 408 /);
    expect(afterMs).toBeGreaterThan(maxReceiveMs * 0.9);
    expect(afterMs).toBeLessThan(maxReceiveMs * 3);
    expect(invocations).toBe(0);
    // It is no failure of the gateway.
    expect(logged).not.toHaveBeenCalled();
  });

  test('gives a request 30 seconds, and checks every 5 seconds', () => {
    const usual = createGateway({
      routes: [],
      fallback: async () => ({}),
      timeoutMs: 1_000,
      crossOrigin,
    });
    expect([usual.headersTimeout, usual.requestTimeout]).toEqual([30_000, 30_000]);
    expect(usual).toHaveProperty('connectionsCheckingInterval', 5_000);
    usual.close();
  });
});

describe('idle connections', () => {
  /** Connections that clients keep open between two requests, and before the first one. */

  const options = {
    routes: [],
    fallback: async () => ({ statusCode: 200, body: '{}' }),
    timeoutMs: 1_000,
    crossOrigin,
  };

  /** Milliseconds for which a client may send a request. */
  const maxReceiveMs = 120;

  const request = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}';

  async function start(fallback: LambdaFunction = options.fallback) {
    const server = createGateway({ ...options, fallback, maxReceiveMs });
    const close = closerOf(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const open = async (): Promise<Socket> => {
      const socket = openSocket(port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    };
    return { open, close };
  }

  test('an idle connection stays open for longer than clients keep it, which is 300 seconds at most', () => {
    const server = createGateway(options);
    expect(server.keepAliveTimeout).toBe(310_000);
    server.close();
  });

  test('the time that a request may take does not end an idle connection', async () => {
    const { open, close } = await start();
    const socket = await open();
    for (let count = 0; count < 2; count += 1) {
      socket.write(request);
      const [response] = await once(socket, 'data');
      expect(String(response)).toMatch(/^HTTP\/1\.1 200 /);
      // The gateway looks for late requests six times in this time.
      await delay(3 * maxReceiveMs);
    }
    await close();
  });

  test.each([
    ['no request', ''],
    ['half of the headers', 'POST / HTTP/1.1\r\nHost: loc'],
    ['half of the body', request.slice(0, -1)],
  ])('the gateway closes although a client has sent %s', async (_, bytes) => {
    const { open, close } = await start();
    const socket = await open();
    socket.write(bytes);
    // The connection of a later request: the gateway has received the bytes.
    const later = await open();
    later.write(request);
    await once(later, 'data');
    const closed = once(socket, 'close');
    await close();
    await closed;
    expect(socket.destroyed).toBe(true);
  });

  test('the gateway sends a response in progress before it closes', async () => {
    let respond: (() => void) | undefined;
    const { open, close } = await start(
      () =>
        new Promise((resolve) => {
          respond = () => resolve({ statusCode: 200, body: '{}' });
        }),
    );
    const socket = await open();
    socket.write(request);
    while (!respond) await delay(1);
    const closed = close();
    // Longer than a request may take to arrive.
    await delay(2 * maxReceiveMs);
    respond();
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 .*\{\}$/s);
    await closed;
  });
});

describe('new log records', () => {
  let store: TestStore;
  let client: DynamoDb;
  let records: NewLogRecords;

  beforeAll(async () => {
    store = await startEngineStore();
  });

  afterAll(() => store.stop());

  beforeEach(() => {
    records = new NewLogRecords();
    client = records.watch(connect());
  });

  afterEach(() => client.destroy());

  const database = (): Database => new Database(client, store.tableName, new Deadline(300_000));

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

  test('delivers the records of transactions, each once', async () => {
    const tenant = randomUUID();
    for (const name of ['one', 'other'])
      await createEntity({ tenant, database: database() }, 'tag', { name, status: 'active' });
    expect(await delivered()).toEqual([[recordOf(tenant), recordOf(tenant)]]);
    expect(await delivered()).toEqual([]);
  });

  test('delivers the records that are put alone, and no other items', async () => {
    await database().putItem({ pk: 'acme#tag#log', sk: 'r#1' });
    await database().putItem({ pk: 'acme#tag#log', sk: '~' });
    expect(await delivered()).toEqual([[recordOf('acme')]]);
  });

  test('does not deliver a write that fails', async () => {
    const never = { expression: 'attribute_exists(never)' };
    await expect(database().putItem({ pk: 'acme#tag#log', sk: 'r#2' }, never)).rejects.toThrow();
    expect(await delivered()).toEqual([]);
  });

  test('delivers 1,000 records at a time', async () => {
    const item = { pk: 'acme#tag#log', sk: 'r#3' };
    for (let count = 0; count < 1_001; count += 1) await database().putItem(item);
    expect((await delivered()).map(({ length }) => length)).toEqual([1_000, 1]);
  });

  test('begins with a record of each log that was written before', async () => {
    const tenant = randomUUID();
    await createEntity(store.session(tenant), 'tag', { name: 'x', status: 'active' });
    await records.addWrittenLogs(database());
    expect((await delivered()).flat()).toContainEqual(recordOf(tenant));
  });
});

describe('operation event', () => {
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
});

describe('own requests', () => {
  /** Which requests the local gateway refuses, because a web page of another site could have sent them. */

  let server: Server;
  let invocations: string[];

  async function start(more: Partial<GatewayOptions> = {}): Promise<void> {
    server = createGateway({
      routes: [],
      fallback: async (event) => {
        invocations.push(event.requestContext.http.method);
        return { statusCode: 200, headers: {}, body: '{}' };
      },
      timeoutMs: 1_000,
      crossOrigin: { ...crossOrigin, origins: ['*'] },
      ...more,
    });
    invocations = [];
    await once(server.listen(0, '127.0.0.1'), 'listening');
  }

  const stop = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
  };

  interface RawResponse {
    readonly status: number;
    readonly head: string;
    readonly body: string;
  }

  /** Sends a request with exactly these header lines. */
  async function send(method: string, lines: readonly string[], version = '1.1'): Promise<RawResponse> {
    const socket = openSocket((server.address() as AddressInfo).port, '127.0.0.1');
    socket.end([`${method} /v1/tags HTTP/${version}`, ...lines, 'Connection: close', '', ''].join('\r\n'));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    await once(socket, 'close');
    const [head = '', body = ''] = text.split('\r\n\r\n');
    return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body };
  }

  function expectProblem({ status, head, body }: RawResponse, expected: number): void {
    expect(status).toBe(expected);
    expect(head).toContain('content-type: application/problem+json');
    expect(head).not.toContain('access-control-');
    expect(JSON.parse(body)).toMatchObject({ type: 'about:blank', status: expected, instance: '/v1/tags' });
    expect(invocations).toEqual([]);
  }

  describe('the host of a request', () => {
    beforeAll(() => start({ allowed: { hosts: ['api.example'] } }));
    beforeEach(() => {
      invocations = [];
    });
    afterAll(stop);

    test.each([
      'localhost',
      'localhost:3000',
      'LocalHost:3000',
      'localhost.',
      'app.localhost:5173',
      '127.0.0.1:3000',
      '192.168.1.20:3000',
      '10.0.0.7',
      '[::1]:3000',
      '[fe80::1]',
      '[::ffff:127.0.0.1]:1',
      'api.example',
      'API.example:8080',
    ])('can be %s', async (host) => {
      expect((await send('POST', [`Host: ${host}`])).status).toBe(200);
    });

    test.each([
      'page.example',
      'page.example:3000',
      'localhost.page.example',
      'notlocalhost',
      '127.0.0.1.page.example',
      '127.1',
      '0x7f.0.0.1',
      '2130706433',
      'sub.api.example',
      'localhost..',
    ])('cannot be %s', async (host) => {
      for (const method of ['GET', 'POST', 'OPTIONS'])
        expectProblem(await send(method, [`Host: ${host}`]), 421);
    });

    test.each(['', 'localhost:x', 'a b', '[::1', 'localhost@page.example', 'localhost/'])(
      'must be valid, not "%s"',
      async (host) => expectProblem(await send('GET', [`Host: ${host}`]), 400),
    );

    test('stands in one header', async () => {
      expectProblem(await send('GET', ['Host: localhost', 'host: localhost']), 400);
      expectProblem(await send('GET', ['Host: localhost', 'Host: page.example']), 400);
    });

    test('is necessary in HTTP/1.1', async () => {
      expect((await send('GET', [])).status).toBe(400);
      expect(invocations).toEqual([]);
      expect((await send('GET', [], '1.0')).status).toBe(200);
    });
  });

  const host = 'Host: localhost:3000';
  const own = [
    'http://localhost:3000',
    'http://localhost:5173',
    'https://app.localhost',
    'http://127.0.0.1:8080',
    'http://127.8.8.8',
    'http://[::1]:5173',
    'https://app.example',
  ];
  const foreign = [
    'null',
    'https://page.example',
    'http://app.example',
    'https://app.example:8443',
    'http://localhost.page.example:5173',
    'http://localhost@page.example',
    'http://192.168.1.20:3000',
    'page',
    '',
  ];
  const writes = ['POST', 'PUT', 'PATCH', 'DELETE'];

  describe('the origin of a request', () => {
    beforeAll(() => start({ allowed: { origins: ['https://app.example'] } }));
    beforeEach(() => {
      invocations = [];
    });
    afterAll(stop);

    test.each(own)('can be %s', async (origin) => {
      for (const method of writes) await send(method, [host, `Origin: ${origin}`]);
      expect(invocations).toEqual(writes);
      const preflight = await send('OPTIONS', [
        host,
        `Origin: ${origin}`,
        'Access-Control-Request-Method: PUT',
      ]);
      expect(preflight.status).toBe(204);
      expect(preflight.head).toContain('access-control-allow-methods');
    });

    test.each(foreign)('cannot be "%s", unless the request reads', async (origin) => {
      const lines = [host, `Origin: ${origin}`, 'Access-Control-Request-Method: PUT'];
      for (const method of [...writes, 'OPTIONS']) expectProblem(await send(method, lines), 403);
      for (const method of ['GET', 'HEAD']) {
        const read = await send(method, lines);
        expect(read.status).toBe(200);
        // The page cannot read the response.
        expect(read.head).not.toContain('access-control-');
      }
    });

    test.each(['192.168.1.20:3000', '192.168.1.20', '[fe80::1]:3000'])(
      'can be that of the pages of the service at %s',
      async (address) => {
        const { status } = await send('POST', [`Host: ${address}`, `Origin: http://${address}`]);
        expect(status).toBe(200);
      },
    );
  });

  test.each([
    [['Host: page.example'], '--allow-host page.example'],
    [[host, 'Origin: https://page.example'], '--allow-origin https://page.example'],
    [[host, 'Origin: null'], "--allow-origin '*'"],
  ])('the response to %j names the flag %s', async (lines, flag) => {
    await start();
    const { body } = await send('POST', lines);
    expect((JSON.parse(body) as { detail: string }).detail).toContain(` ${flag}.`);
    await stop();
  });

  test('the origin * allows all pages', async () => {
    await start({ allowed: { origins: ['*'] } });
    for (const origin of ['null', 'https://page.example']) {
      const { status, head } = await send('POST', [host, `Origin: ${origin}`]);
      expect(status).toBe(200);
      expect(head).toContain('access-control-allow-origin: *');
    }
    await stop();
  });
});

describe('request line', () => {
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
});

describe('schedule', () => {
  test('calls again after a failed call, never twice at once, and stops after the call in progress', async () => {
    const logged = jest.spyOn(console, 'error').mockImplementation(() => {});
    let calls = 0;
    let running = 0;
    let maxRunning = 0;
    let release = (): void => {};
    const schedule = startSchedule(async () => {
      calls += 1;
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      if (calls === 2) {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      }
      running -= 1;
      if (calls === 1) throw new Error('The first call fails.');
    });
    while (calls < 2) await delay(10);
    let hasStopped = false;
    const stopped = schedule.stop().then(() => {
      hasStopped = true;
    });
    await new Promise(setImmediate);
    expect([running, hasStopped]).toEqual([1, false]);
    release();
    await stopped;
    expect([calls, running, maxRunning]).toEqual([2, 0, 1]);
    expect(logged).toHaveBeenCalledWith('The scheduled function failed:', expect.any(Error));
    logged.mockRestore();
  });
});

describe('service', () => {
  // The services of one process share its client, so this one has ended before others begin.
  describe('a service', () => {
    let service: Service;
    let client: DynamoDBClient;

    beforeAll(async () => {
      service = await startService({ port: 0, databaseFile: ':memory:' });
      client = new DynamoDBClient({ endpoint: service.endpoint });
    });

    afterAll(async () => {
      client.destroy();
      await service.stop();
    });

    async function send<Body>(method: string, path: string, body?: object): Promise<Body> {
      const response = await fetch(service.url + path, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect([method, path, response.ok]).toEqual([method, path, true]);
      const text = await response.text();
      return (text === '' ? undefined : JSON.parse(text)) as Body;
    }

    const tableOf = async (TableName: string) =>
      (await client.send(new DescribeTableCommand({ TableName }))).Table;

    test('runs jobs by the schedule, on a table without a stream', async () => {
      expect((await tableOf(service.tableName))?.StreamSpecification?.StreamEnabled ?? false).toBe(false);
      const { id: organizationId } = await send<{ id: string }>('POST', '/v1/organizations', {
        name: 'Large',
      });
      // A transaction has at most 100 actions: a job clears the references of 101 users.
      await Promise.all(
        Array.from({ length: 101 }, (_, number) =>
          send('POST', '/v1/users', { name: `User ${number}`, organizationId }),
        ),
      );
      await send('DELETE', `/v1/organizations/${organizationId}`);
      const users = `/v1/organizations/${organizationId}/users?limit=1`;
      while ((await send<{ total: number }>('GET', users)).total > 0) await delay(50);
    });

    test('ensureTable enables the stream of an existing table when it is needed, and keeps it', async () => {
      await ensureTable(client, 'streamed');
      await ensureTable(client, 'streamed', { stream: true });
      const enabled = { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' };
      expect((await tableOf('streamed'))?.StreamSpecification).toEqual(enabled);
      await ensureTable(client, 'streamed');
      expect((await tableOf('streamed'))?.StreamSpecification).toEqual(enabled);
    });

    test('ensureTable rejects a table with other indexes', async () => {
      const shape = {
        partitionKey: 'pk',
        sortKey: 'sk',
        timeToLive: 'expiresAt',
        indexes: { other: { partitionKey: 'other', sortKey: 'sk' } },
      };
      await ensureTable(client, 'other-shape', { shape });
      await expect(ensureTable(client, 'other-shape')).rejects.toThrow('it has the indexes other;');
    });
  });

  test('stops although a client sends one request after the other on its connection', async () => {
    let stopped: Promise<void> | undefined;
    const options = { port: 0, databaseFile: ':memory:' };
    const running = await startService({
      ...options,
      onEvent: () => {
        stopped ??= running.stop();
      },
    });
    const response = await fetch(`${running.url}/v1/health`);
    expect(await response.json()).toMatchObject({ status: 'ok' });
    // The connection would be open for as long as requests arrive.
    expect(response.headers.get('connection')).toBe('close');
    await stopped;
  });

  test('stops although a client has opened a connection and sent no request', async () => {
    const running = await startService({ port: 0, databaseFile: ':memory:' });
    const socket = openSocket(Number(new URL(running.url).port), '127.0.0.1');
    await once(socket, 'connect');
    // The connection of this request is a later one, so the gateway has accepted the first.
    await fetch(`${running.url}/v1/health`);
    const closed = once(socket, 'close');
    await running.stop();
    await closed;
    expect(socket.destroyed).toBe(true);
  });

  test('limits the units of a tenant when it is asked to', async () => {
    const limited = await startService({ port: 0, databaseFile: ':memory:', tenantRate: 1 });
    try {
      let response: Response;
      do response = await fetch(`${limited.url}/v1/tags`);
      while (response.status === 200);
      expect(response.status).toBe(429);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(response.headers.get('ratelimit-policy')).toBe('"default";q=10;qu="capacity-units";w=10');
    } finally {
      await limited.stop();
    }
  });
});

describe('unreachable engines', () => {
  /** What a page of another origin would send: a preflight, a call from a name that it has bound to the address, a call without a signature. */
  const requestsOfPages = [
    {
      method: 'OPTIONS',
      headers: {
        origin: 'https://page.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-amz-target',
      },
    },
    { method: 'POST', headers: { host: 'page.example', 'x-amz-target': 'DynamoDB_20120810.ListTables' } },
    {
      method: 'POST',
      headers: { origin: 'https://page.example', 'x-amz-target': 'DynamoDB_20120810.ListTables' },
    },
  ];

  /** Sends a request without the port blocking of browsers. */
  const sendRaw = (url: string, { method, headers }: (typeof requestsOfPages)[number]) =>
    new Promise<{ status: number | undefined; allowed: string | undefined }>((resolve, reject) => {
      const sent = request(url, { method, headers, agent: false }, (response) => {
        response.resume();
        const allowed = response.headers['access-control-allow-origin'];
        response.on('end', () => resolve({ status: response.statusCode, allowed }));
      });
      sent.on('error', reject).end(method === 'POST' ? '{}' : '');
    });

  const isOpen = (host: string, port: number): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = openSocket(port, host, () => resolve(true));
      socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
    });

  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

  /** The engines that can run on this machine. DynamoDB Local needs a JDK. */
  const engines = (
    [
      ['the native engine', nativeEngine],
      ['DynamoDB Local', dynamoDbLocal],
    ] as const
  ).filter(([, find]) => find());

  describe.each(engines)('%s', (_, find) => {
    let engine: Engine;

    beforeAll(async () => {
      engine = await startEngine(inMemory, [find]);
    });

    afterAll(() => engine?.stop());

    test.each(requestsOfPages)('receives no $method request of a page: $headers', async (sent) => {
      // The `fetch` of Node.js blocks the ports of the Fetch Standard. `test/browser/blocked-ports.test.ts` asks Chromium.
      await expect(fetch(engine.endpoint, sent)).rejects.toMatchObject({ cause: { message: 'bad port' } });
    });

    test('listens on one address, which is not the usual one', async () => {
      const { hostname, port } = new URL(engine.endpoint);
      expect(hostname).toMatch(/^127\.(?!0\.0\.1$)/);
      const others = Object.values(networkInterfaces()).flatMap((found = []) =>
        found.map(({ address }) => address),
      );
      expect(await isOpen(hostname, Number(port))).toBe(true);
      expect(
        await Promise.all(['127.0.0.1', '::1', ...others].map((host) => isOpen(host, Number(port)))),
      ).not.toContain(true);
    });

    test('works for a client with any credentials', async () => {
      const client = new DynamoDBClient({ endpoint: engine.endpoint, region: 'us-east-1', credentials });
      expect((await client.send(new ListTablesCommand())).TableNames).toEqual([]);
      client.destroy();
    });

    // The native engine has no such setting.
    if (find === dynamoDbLocal) {
      test.each(requestsOfPages)('refuses the $method request of a page: $headers', async (sent) => {
        expect(await sendRaw(engine.endpoint, sent)).toEqual({ status: 403, allowed: undefined });
      });
    }
  });
});
