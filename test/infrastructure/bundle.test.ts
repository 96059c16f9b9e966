import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createOrganization } from '#functions/organizations/contract.ts';
import { routes } from '#functions/routes.ts';
import { files, functionFiles } from '#lib/hosting/functions.ts';
import { type Engine, inMemory, startEngine } from '#lib/local/dynamodb-engine.ts';
import { operationEvent } from '#lib/local/operation-event.ts';
import { ensureTable } from '#lib/local/table.ts';
import { bundles } from './bundles.ts';

const execute = promisify(execFile);

const tableName = 'bundled';
let engine: Engine;
let directory: string;

const bundle = (file: string): string => join(directory, file.replace(/\.ts$/, ''), 'index.js');

/** Environment variables with credentials, as Lambda sets them. The engine accepts any. */
const credentials = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };

/** Runs a script with only Node.js and the environment of a function, as Lambda does. */
async function runScript(
  script: string,
  environment: Record<string, string> = {},
): Promise<{ result: unknown; log: unknown[] }> {
  const { stdout } = await execute(process.execPath, ['-e', script], {
    cwd: directory,
    env: {
      ...credentials,
      AWS_SESSION_TOKEN: 'local',
      AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      TABLE_NAME: tableName,
      ...environment,
    },
    // The reference has 0.8 MB.
    maxBuffer: 8 * 1024 * 1024,
  });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  return { result: lines.at(-1), log: lines.slice(0, -1) };
}

/**
 * Calls a handler in a process of its own.
 * @param before code that runs before the call.
 */
const call = (
  file: string,
  event: unknown,
  environment: Record<string, string> = {},
  before = 'Promise.resolve()',
) =>
  runScript(
    `
    const { handler } = require(${JSON.stringify(bundle(file))});
    ${before}.then(() => handler(${JSON.stringify(event)}, { getRemainingTimeInMillis: () => 10_000 }))
      .then((result) => console.log(JSON.stringify(result)));
  `,
    // Lambda sets the folder of the code.
    { LAMBDA_TASK_ROOT: dirname(bundle(file)), ...environment },
  );

beforeAll(async () => {
  ({ directory } = bundles());
  engine = await startEngine(inMemory);
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  const client = new DynamoDBClient({
    endpoint: engine.endpoint,
    region: credentials.AWS_REGION,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  await ensureTable(client, tableName);
  client.destroy();
});

afterAll(() => engine?.stop());

describe('bundles', () => {
  test('load without other installed packages and export their handler', async () => {
    const files = JSON.stringify(functionFiles.map(bundle));
    const { result: kinds } = await runScript(
      `console.log(JSON.stringify(${files}.map((file) => typeof require(file).handler)))`,
    );
    expect(kinds).toEqual(functionFiles.map(() => 'function'));
  });

  const creation = (text: string) => operationEvent(createOrganization, { text });

  test('respond to a request with the credentials of the environment', async () => {
    const { result } = await call('organizations/create-organization.ts', creation('{"name":"Bundled"}'));
    expect(result).toMatchObject({
      statusCode: 201,
      body: expect.stringContaining('"name":"Bundled"'),
    });
  });

  test.each(
    routes.flatMap(({ contract, file }) => contract.files?.map((name) => ({ contract, file, name })) ?? []),
  )('$file responds with the file $name of its folder', async ({ contract, file, name }) => {
    const event = operationEvent(contract, { id: contract.path.includes('{') ? name : undefined });
    const isText = !name.endsWith('.woff2');
    const body = readFileSync(files[name] ?? '', isText ? 'utf8' : 'base64');
    expect((await call(file, event)).result).toMatchObject({ statusCode: 200, body });
  });

  test.each([
    ['{"name":"Secret"}', 201],
    ['{"name":"Secret","secret":"Secret"}', 400],
  ])('log one line per request, without its body', async (body, status) => {
    const event = creation(body);
    const { requestId } = event.requestContext;
    const { log } = await call('organizations/create-organization.ts', event);
    expect(log).toEqual([
      {
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        level: 'INFO',
        message: 'The request is finished.',
        requestId,
        operation: 'createOrganization',
        tenant: 'public',
        duration: expect.any(Number),
        status,
        ...(status === 201 && { readUnits: expect.any(Number), writeUnits: expect.any(Number) }),
      },
    ]);
    expect(JSON.stringify(log)).not.toContain('Secret');
  });
});

describe('the first connection', () => {
  /** Requests to the database by method, with the port of their connection. */
  let received: { method: string; isSigned: boolean; port: number | undefined }[] = [];
  let isRefused = false;
  let database: Server;
  let endpoint = '';
  /** Requests that wait until the function has opened its connection. */
  const waiting: ServerResponse[] = [];

  function answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = '', headers, socket } = incoming;
    received.push({ method, isSigned: 'authorization' in headers, port: socket.remotePort });
    if (method === 'GET' && isRefused) socket.destroy();
    else if (method === 'GET') outgoing.end('healthy');
    else {
      const forwarded = request(engine.endpoint, { method, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(outgoing);
      });
      incoming.pipe(forwarded);
    }
  }

  beforeAll(async () => {
    // The engine behind it does not show which connection a request used.
    database = createServer((incoming, outgoing) => {
      if (incoming.url === '/opened') waiting.push(outgoing);
      else answer(incoming, outgoing);
      if (received.length === 0) return;
      // The function has read the response by then.
      for (const response of waiting.splice(0)) setTimeout(() => response.end(), 100);
    });
    database.listen(0, '127.0.0.1');
    await once(database, 'listening');
    endpoint = `http://127.0.0.1:${(database.address() as AddressInfo).port}`;
  });

  beforeEach(() => {
    received = [];
    isRefused = false;
  });

  afterAll(() => database.close());

  const create = (environment: Record<string, string>, before?: string) =>
    call(
      'organizations/create-organization.ts',
      operationEvent(createOrganization, { text: '{"name":"First"}' }),
      { AWS_ENDPOINT_URL_DYNAMODB: endpoint, ...environment },
      before,
    );

  const onLambda = { AWS_LAMBDA_FUNCTION_NAME: 'createOrganization' };

  test('is opened while Lambda loads the code, without credentials, and used by the first call', async () => {
    const { result } = await create(onLambda, `fetch('${endpoint}/opened')`);
    expect(result).toMatchObject({ statusCode: 201 });
    const [opening, first] = received;
    expect(opening).toMatchObject({ method: 'GET', isSigned: false });
    expect(first).toMatchObject({ method: 'POST', isSigned: true, port: opening?.port });
  });

  test('can fail', async () => {
    isRefused = true;
    const { result } = await create(onLambda);
    expect(result).toMatchObject({ statusCode: 201 });
    expect(received[0]?.method).toBe('GET');
  });

  test('is opened elsewhere when the time is needed, which nothing else needs a call for', async () => {
    const { result } = await create({});
    expect(result).toMatchObject({ statusCode: 201 });
    expect(received.filter(({ method }) => method === 'GET')).toHaveLength(1);
  });
});
