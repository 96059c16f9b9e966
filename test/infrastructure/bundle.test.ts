import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { routes } from '../../functions/routes.ts';
import { files, functionFiles } from '../../lib/hosting/functions.ts';
import { bundleFunctions } from '../../lib/infrastructure/bundle.ts';
import { type Engine, inMemory, startEngine } from '../../lib/local/dynamodb-engine.ts';
import { ensureTable } from '../../lib/local/table.ts';
import { temporaryFolder } from './stacks.ts';

const execute = promisify(execFile);

const directory = temporaryFolder();
const tableName = 'bundled';
let engine: Engine;

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
    // The largest file of the documentation has 2 MB.
    maxBuffer: 8 * 1024 * 1024,
  });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  return { result: lines.at(-1), log: lines.slice(0, -1) };
}

const call = (file: string, event: unknown) =>
  runScript(
    `
    const { handler } = require(${JSON.stringify(bundle(file))});
    handler(${JSON.stringify(event)}, { getRemainingTimeInMillis: () => 10_000 })
      .then((result) => console.log(JSON.stringify(result)));
  `,
    // Lambda sets the folder of the code.
    { LAMBDA_TASK_ROOT: dirname(bundle(file)) },
  );

beforeAll(async () => {
  [, engine] = await Promise.all([bundleFunctions(directory), startEngine(inMemory)]);
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

  const creation = (body: string) => ({
    rawPath: '/v1/organizations',
    rawQueryString: '',
    headers: { 'content-type': 'application/json' },
    body,
    isBase64Encoded: false,
    requestContext: { http: { method: 'POST' }, requestId: 'r' },
  });

  test('respond to a request with the credentials of the environment', async () => {
    const { result } = await call('organizations/create-organization.ts', creation('{"name":"Bundled"}'));
    expect(result).toMatchObject({
      statusCode: 201,
      body: expect.stringContaining('"name":"Bundled"'),
    });
  });

  test.each(routes.flatMap(({ contract, file }) => contract.files?.map((name) => ({ file, name })) ?? []))(
    '$file responds with the file $name of its folder',
    async ({ file, name }) => {
      const requestContext = { http: { method: 'GET' }, requestId: 'r' };
      const event = {
        rawPath: '/',
        rawQueryString: '',
        headers: {},
        pathParameters: { file: name },
        requestContext,
      };
      const body = readFileSync(files[name] ?? '', 'utf8');
      expect((await call(file, event)).result).toMatchObject({ statusCode: 200, body });
    },
  );
  test.each([
    ['{"name":"Secret"}', 201],
    ['{"name":"Secret","secret":"Secret"}', 400],
  ])('log one line per request, without its body', async (body, status) => {
    const { log } = await call('organizations/create-organization.ts', creation(body));
    expect(log).toEqual([
      {
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        level: 'INFO',
        message: 'The request is finished.',
        requestId: 'r',
        operation: 'createOrganization',
        tenant: 'public',
        duration: expect.any(Number),
        status,
      },
    ]);
    expect(JSON.stringify(log)).not.toContain('Secret');
  });
});
