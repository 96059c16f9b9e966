import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Service, startService } from '#lib/local/service.ts';
import { ensureTable } from '#lib/local/table.ts';

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
    const { id: organizationId } = await send<{ id: string }>('POST', '/v1/organizations', { name: 'Large' });
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
  const socket = connect(Number(new URL(running.url).port), '127.0.0.1');
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
