import type { Context, DynamoDBRecord } from 'aws-lambda';
import { handler as authorizeSubscription } from '#functions/authentication/authorize-subscription.ts';
import { logPartition, manifestSortKey, recordSortKey } from '#functions/engine/model/change-log.ts';
import { channelOf } from '#functions/http/live-channels.ts';
import { announcing } from '#functions/jobs/publish-pokes.ts';
import { readLive as contract } from '#functions/live/contract.ts';
import { handler as readLive } from '#functions/live/read-live.ts';
import { functionContext } from '#lib/local/lambda-context.ts';
import { operationEvent } from '#lib/local/operation-event.ts';
import { startResponder, startServer, type TestServer } from '../../support/http-server.ts';
import { wait } from '../../support/until.ts';

/** The functions that announce changes and decide who hears of them, by themselves. `test/security/live.test.ts` has them behind the local service. */

const variables = [
  'LIVE_ENDPOINT',
  'LOG_LEVEL',
  'AWS_REGION',
  'TENANT_CLAIM',
  'SCOPE_PREFIX',
  'AUDIENCE',
] as const;
const before = Object.fromEntries(variables.map((name) => [name, process.env[name]]));

let server: TestServer | undefined;
let logged: Record<string, unknown>[] = [];

beforeEach(() => {
  logged = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
    logged.push(JSON.parse(String(line)) as Record<string, unknown>);
    return true;
  });
  process.env['AWS_REGION'] = 'eu-central-1';
});

afterEach(async () => {
  jest.restoreAllMocks();
  await server?.stop();
  server = undefined;
  for (const name of variables) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
});

const context = functionContext('request', 10_000) as Context;

const tenant = '@acme';

/** A record of the stream for an item. */
const streamRecord = (
  kind: string,
  sk: string,
  eventName: DynamoDBRecord['eventName'] = 'INSERT',
): DynamoDBRecord => ({
  ...(eventName && { eventName }),
  dynamodb: { Keys: { pk: { S: logPartition(tenant, kind as never) }, sk: { S: sk } } },
});

const inserted = (kind: string, position: number) => streamRecord(kind, recordSortKey(position));

interface Published {
  readonly channel: string;
  readonly events: readonly string[];
}

/** Starts what takes the place of AppSync. @returns what is published there. */
async function startAppSync(response: { status?: number; body?: object } = {}): Promise<Published[]> {
  const published: Published[] = [];
  server = await startResponder(({ headers, url, method }, body) => {
    expect([method, url]).toEqual(['POST', '/event']);
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=[^/]*\/\d{8}\/eu-central-1\/appsync\/aws4_request, /,
    );
    expect(headers.authorization).toMatch(/SignedHeaders=[^,]*host[^,]*x-amz-date/);
    published.push(JSON.parse(body) as Published);
    return { body: { failed: [], successful: [{}] }, ...response };
  });
  process.env['LIVE_ENDPOINT'] = `${server.url}/event`;
  return published;
}

test('GET /v1/live is 404 with a problem of its own where nothing is announced', async () => {
  process.env['TABLE_NAME'] = 'not read';
  const { statusCode, body } = await readLive(operationEvent(contract), context);
  expect([statusCode, JSON.parse(body ?? '')]).toMatchObject([404, { type: '/docs/problems#live-is-off' }]);
});

describe('announcing', () => {
  test('publishes the newest position of each log that has new records, once', async () => {
    const published = await startAppSync();
    const records = [inserted('task', 7), inserted('tag', 3), inserted('task', 12), inserted('task', 9)];
    expect(await announcing(records, context, async () => 'done')).toBe('done');
    expect(published.sort((one, other) => (one.channel < other.channel ? -1 : 1))).toEqual([
      { channel: channelOf(tenant, 'tags'), events: ['{"position":3}'] },
      { channel: channelOf(tenant, 'tasks'), events: ['{"position":12}'] },
    ]);
    expect(logged).toEqual([]);
  });

  test('publishes nothing for what is no new record: merges, manifests, expiry, kinds of another release', async () => {
    const published = await startAppSync();
    const records = [
      streamRecord('task', recordSortKey(7), 'MODIFY'),
      streamRecord('task', recordSortKey(7), 'REMOVE'),
      streamRecord('task', manifestSortKey),
      streamRecord('task', 's#1'),
      inserted('unheardof', 7),
    ];
    await announcing(records, context, async () => undefined);
    expect(published).toEqual([]);
  });

  test('is off without an address', async () => {
    delete process.env['LIVE_ENDPOINT'];
    expect(await announcing([inserted('task', 7)], context, async () => 'done')).toBe('done');
    expect(logged).toEqual([]);
  });

  test.each([
    ['refuses all', { status: 403, body: { errors: [{ errorType: 'UnauthorizedException' }] } }],
    ['refuses an event', { body: { failed: [{ index: 0, code: 'EventTooLargeException' }] } }],
  ])('counts what is lost when AppSync %s, and does not try again', async (_, response) => {
    const published = await startAppSync(response);
    expect(await announcing([inserted('task', 7)], context, async () => 'done')).toBe('done');
    expect(published).toHaveLength(1);
    expect(logged).toMatchObject([
      { level: 'ERROR', message: 'Pokes were not published.', lost: 1 },
      { LostPokes: 1, FunctionName: context.functionName },
    ]);
  });

  test('counts what is lost when nothing listens', async () => {
    process.env['LIVE_ENDPOINT'] = 'http://127.0.0.1:9/event';
    await announcing([inserted('task', 7)], context, async () => 'done');
    expect(logged).toMatchObject([{ lost: 1 }, { LostPokes: 1 }]);
  });

  test('fails as the work does, and has published nevertheless', async () => {
    const published = await startAppSync();
    const failing = announcing([inserted('task', 7)], context, () => Promise.reject(new Error('no table')));
    await expect(failing).rejects.toThrow('no table');
    expect(published).toHaveLength(1);
  });

  test('gives up half a second after the work what AppSync has not answered, with ten requests at once', async () => {
    let open = 0;
    let total = 0;
    let most = 0;
    server = await startServer((request) => {
      open += 1;
      total += 1;
      most = Math.max(most, open);
      request.on('close', () => {
        open -= 1;
      });
    });
    process.env['LIVE_ENDPOINT'] = `${server.url}/event`;
    const records = Array.from({ length: 30 }, (_, count) => ({
      ...inserted('task', 7),
      dynamodb: {
        Keys: { pk: { S: logPartition(`@tenant${count}`, 'task') }, sk: { S: recordSortKey(7) } },
      },
    }));
    let hasEnded = false;
    await announcing(records, context, async () => {
      // The work does not wait for the pokes.
      await wait(50);
      hasEnded = true;
    });
    expect([hasEnded, most, total]).toEqual([true, 10, 10]);
    expect(logged).toMatchObject([{ lost: 30 }, { LostPokes: 30 }]);
  });
});

describe('authorizeSubscription', () => {
  const own = channelOf(tenant, 'tasks');

  const claims = { aud: 'app', tenant: 'acme', scope: 'pm/tasks:read openid' };

  const decide = (changed: object = {}, path: unknown = own, more: object = {}) => {
    Object.assign(process.env, { TENANT_CLAIM: 'tenant', SCOPE_PREFIX: 'pm/', AUDIENCE: 'app,other-app' });
    const info = { channel: { path }, channelNamespace: { name: 'changes' }, operation: 'SUBSCRIBE' };
    const event = { identity: { claims: { ...claims, ...changed } }, info, ...more };
    return authorizeSubscription(event as Parameters<typeof authorizeSubscription>[0], context);
  };

  test('allows exactly the channels that GET /v1/live names', async () => {
    expect(await decide()).toBeNull();
    expect(await decide({ aud: ['x', 'other-app'] })).toBeNull();
    expect(await decide({ aud: undefined, client_id: 'app' })).toBeNull();
    expect(await decide({ scope: undefined, scp: ['pm/tasks:read'] })).toBeNull();
  });

  const refused: [what: string, changed: object, path?: unknown, more?: object][] = [
    ['another collection', {}, channelOf(tenant, 'tags')],
    ['another tenant', {}, channelOf('@other', 'tasks')],
    ['a wildcard', {}, own.replace('tasks', '*')],
    ['all', {}, '/changes/*'],
    ['a channel below', {}, `${own}/more`],
    ['no channel', {}, null],
    ['a token of another client', { aud: 'stranger' }],
    ['a token whose client alone is ours', { aud: 'stranger', client_id: 'app' }],
    ['an ID token', { token_use: 'id' }],
    ['a token without an audience', { aud: undefined }],
    ['a scope without its prefix', { scope: 'tasks:read' }],
    ['a scope to write', { scope: 'pm/tasks:write' }],
    ['a token without a tenant', { tenant: undefined }],
    ['a tenant that is no text', { tenant: ['acme'] }],
    ['no claims', {}, own, { identity: null }],
    ['an event without anything', {}, own, { identity: undefined, info: undefined }],
    ['claims that are no object', {}, own, { identity: { claims: 7 } }],
    ['another operation', {}, own, { info: { channel: { path: own }, operation: 'PUBLISH' } }],
  ];

  test.each(refused)('refuses %s', async (_, changed, path = own, more = {}) => {
    expect(await decide(changed, path, more)).toEqual({ error: expect.any(String) as unknown });
  });

  test('never throws: it refuses, and logs why', async () => {
    expect(await authorizeSubscription(undefined as never, context)).toEqual({
      error: expect.any(String) as unknown,
    });
    expect(logged).toMatchObject([{ level: 'ERROR', message: 'A subscription was not decided.' }]);
  });
});
