import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { SourceMap } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { checkHealth } from '#functions/health/contract.ts';
import { createOrganization } from '#functions/organizations/contract.ts';
import { documentationFile, fallbackFile, functionFiles } from '#lib/hosting/functions.ts';
import { mapsByOperation, resolveTrace } from '#lib/hosting/resolve-trace.ts';
import { type Engine, inMemory, startEngine } from '#lib/local/dynamodb-engine.ts';
import { operationEvent } from '#lib/local/operation-event.ts';
import { ensureTable } from '#lib/local/table.ts';
import { startServer, type TestServer } from '../support/http-server.ts';
import { bundles } from './bundles.ts';

const tableName = 'bundled';
let engine: Engine;

const { directory } = bundles();
const bundle = (file: string): string => join(directory, file.replace(/\.ts$/, ''), 'index.js');

/** Runs a script with only Node.js and the environment of a function, as Lambda does. Returns the lines that it prints. */
async function runScript(script: string, environment: Record<string, string> = {}): Promise<unknown[]> {
  const env = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_SESSION_TOKEN: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    TABLE_NAME: tableName,
    ...environment,
  };
  const options = { cwd: directory, env };
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], options);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

/**
 * Calls a handler in a process of its own. Returns its log and the result.
 * @param before a promise in the process that the call waits for.
 */
const call = (file: string, event: unknown, environment: Record<string, string> = {}, before = 'undefined') =>
  runScript(
    `
    const { handler } = require(${JSON.stringify(bundle(file))});
    Promise.resolve(${before})
      .then(() => handler(${JSON.stringify(event)}, { getRemainingTimeInMillis: () => 10_000 }))
      .then((result) => console.log(JSON.stringify(result)));
  `,
    // Lambda sets the folder of the code.
    { LAMBDA_TASK_ROOT: dirname(bundle(file)), ...environment },
  );

const creation = (text: string) => operationEvent(createOrganization, { text });

beforeAll(async () => {
  engine = await startEngine(inMemory);
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint: engine.endpoint, region: 'us-east-1', credentials });
  await ensureTable(client, tableName);
  client.destroy();
});

afterAll(() => engine?.stop());

test('bundles load without other installed packages and export their handler', async () => {
  const all = JSON.stringify(functionFiles.map(bundle));
  const script = `console.log(JSON.stringify(${all}.map((file) => typeof require(file).handler)))`;
  expect(await runScript(script)).toEqual([functionFiles.map(() => 'function')]);
});

test('the documentation is beside its function', async () => {
  const event = { ...operationEvent(checkHealth), rawPath: '/docs/guides/errors.md' };
  const body = readFileSync(join(__dirname, '../../docs/guides/errors.md'), 'utf8');
  expect((await call(documentationFile, event)).at(-1)).toMatchObject({
    statusCode: 200,
    body: expect.stringContaining(body.slice(0, 500)),
  });
});

test.each([
  // The first write of a log reads what it has.
  ['{"name":"Secret"}', 201, { readUnits: expect.any(Number), writeUnits: expect.any(Number) }],
  ['{"name":"Secret","secret":"Secret"}', 400, {}],
])('a request is one line of the log, without its body', async (body, status, units) => {
  const event = creation(body);
  const [line, result] = await call('organizations/create-organization.ts', event);
  expect(result).toMatchObject({ statusCode: status });
  expect(line).toEqual({
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    level: 'INFO',
    message: 'The request is finished.',
    requestId: event.requestContext.requestId,
    operation: 'createOrganization',
    tenant: 'public',
    duration: expect.any(Number),
    status,
    ...units,
  });
});

describe('the first connection', () => {
  /** Requests to the database by method, with the port of their connection. */
  let received: { method: string; isSigned: boolean; port: number | undefined }[] = [];
  let isRefused = false;
  let database: TestServer;

  beforeAll(async () => {
    // The engine behind it does not show which connection a request used.
    database = await startServer((incoming, outgoing) => {
      const { method = '', headers, socket } = incoming;
      received.push({ method, isSigned: 'authorization' in headers, port: socket.remotePort });
      if (method === 'GET') {
        if (isRefused) socket.destroy();
        else outgoing.end('healthy');
        return;
      }
      const forwarded = request(engine.endpoint, { method, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(outgoing);
      });
      incoming.pipe(forwarded);
    });
  });

  beforeEach(() => {
    received = [];
    isRefused = false;
  });

  afterAll(() => database.stop());

  async function create(environment: Record<string, string>, before?: string): Promise<void> {
    const variables = { AWS_ENDPOINT_URL_DYNAMODB: database.url, ...environment };
    const printed = await call(
      'organizations/create-organization.ts',
      creation('{"name":"First"}'),
      variables,
      before,
    );
    expect(printed.at(-1)).toMatchObject({ statusCode: 201 });
  }

  const onLambda = { AWS_LAMBDA_FUNCTION_NAME: 'createOrganization' };

  test('is opened while Lambda loads the code, without credentials, and used by the first call', async () => {
    // The connection is free when the response has been read.
    await create(
      onLambda,
      `new Promise((read) => require('node:diagnostics_channel').subscribe('http.client.response.finish',
        ({ response }) => response.once('close', () => setImmediate(read))))`,
    );
    const [opening, first] = received;
    expect(opening).toMatchObject({ method: 'GET', isSigned: false });
    expect(first).toMatchObject({ method: 'POST', isSigned: true, port: opening?.port });
  });

  test('can fail', async () => {
    isRefused = true;
    await create(onLambda);
    expect(received[0]?.method).toBe('GET');
  });
});

test('a stack trace of a bundle names the source', () => {
  const lines = readFileSync(bundle(fallbackFile), 'utf8').split('\n');
  const line = lines.findIndex((one) => one.includes('There is nothing at'));
  const column = lines[line]?.indexOf('There is nothing at');
  const map = readFileSync(join(directory, mapsByOperation.get('rejectUnmatched') ?? ''), 'utf8');
  const trace = `Error: x\n    at refuse (/var/task/index.js:${line + 1}:${column})`;
  expect(resolveTrace(trace, new SourceMap(JSON.parse(map) as SourceMap['payload']))).toMatch(
    /^Error: x\n {4}at refuse \(functions\/fallback\/reject-unmatched\.ts:\d+:\d+\)$/,
  );
});
