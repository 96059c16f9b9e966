import { randomUUID } from 'node:crypto';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { connect, shareClient } from '#functions/store/dynamodb/client.ts';
import { type Clock, CorrectedClock } from '#functions/store/dynamodb/clock.ts';
import { decodeRecord, recordPrefix, stampOf, stampPrefix } from '#functions/store/model/change-log.ts';
import { maxCommitMs } from '#functions/store/model/log-timing.ts';
import type { Item } from '#functions/store/model/writes.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { type Call, errorResponse } from './engine-proxy.ts';
import {
  type Execution,
  type Expired,
  type ExpiredOptions,
  executions,
  expireFirst,
  putItems,
  recordKeyOf,
} from './expired-transactions.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { type Ids, makeEntities } from './operations.ts';

/**
 * No response to a transaction arrives until its time is over. DynamoDB executes it all the same: before the service sends the change set
 * in another transaction, after that, or never.
 */

let faulty: FaultyService;
let ids: Ids;

/** A client with the clock of the service. */
let client: ReturnType<typeof connect>;

/** Milliseconds for which the machine of the service was suspended. Its monotonic clock and its timers do not count them. */
let suspendedMs = 0;

beforeAll(async () => {
  faulty = await startFaultyService();
  const now = Date.now.bind(Date);
  // A suspension takes no time in a test: the engine's time follows that of the machine.
  const clock: Clock = new CorrectedClock({
    wall: () => now() + suspendedMs,
    monotonic: () => performance.now(),
  });
  const learn = clock.observe.bind(clock);
  clock.observe = (sent, date) => learn(sent, date + suspendedMs);
  client = connect({}, clock);
  shareClient(client);
});

beforeEach(async () => {
  ids = await makeEntities(faulty);
});

afterEach(() => faulty.proxy.inject(undefined));

afterAll(async () => {
  const report = await auditTable(client, faulty.service.tableName, { pauseMs: 50 });
  await faulty.stop();
  expect(report).toMatchObject({ orphans: [], malformed: [], logs: [] });
});

/** Lets the first transaction of a request expire. */
function inject(subject: string, execution: Execution, more: Partial<ExpiredOptions> = {}): Expired {
  const expire = (): void => {
    suspendedMs += maxCommitMs;
  };
  const expired = expireFirst({ subject, execution, expire, ...more });
  faulty.proxy.inject(expired.injector);
  return expired;
}

/** Returns the versions of an entity that the log has, in the order of stamps. */
async function recordedVersions(plural: string, id: string): Promise<number[]> {
  const { Items = [] } = await faulty.client.send(
    new QueryCommand({
      TableName: faulty.service.tableName,
      KeyConditionExpression: 'pk = :partition AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: {
        ':partition': `public#${plural.slice(0, -1)}#log`,
        ':prefix': recordPrefix,
      },
    }),
  );
  return (Items as Item[])
    .flatMap((item) => decodeRecord(item).entries)
    .filter((entry) => entry.id === id)
    .map(({ version }) => version);
}

interface Write {
  readonly operation: string;
  readonly plural: string;
  readonly method: string;
  readonly path: (id: string) => string;
  readonly body?: (name: string) => object;
  readonly status: number;
  /** The versions of the entity afterwards. */
  readonly versions: readonly number[];
  /** Fields of the entity afterwards; absent when it does not exist. */
  readonly fields?: object;
}

const operations: readonly Write[] = [
  {
    operation: 'createTask',
    plural: 'tasks',
    method: 'POST',
    path: () => '/v1/tasks',
    body: (name) => ({ name }),
    status: 201,
    versions: [1],
    fields: { status: 'active' },
  },
  {
    operation: 'updateTask',
    plural: 'tasks',
    method: 'PATCH',
    path: (id) => `/v1/tasks/${id}`,
    body: () => ({ status: 'done' }),
    status: 200,
    versions: [1, 2],
    fields: { status: 'done' },
  },
  {
    operation: 'deleteTask',
    plural: 'tasks',
    method: 'DELETE',
    path: (id) => `/v1/tasks/${id}`,
    status: 204,
    versions: [1, 2],
  },
  {
    operation: 'archiveOrganization',
    plural: 'organizations',
    method: 'POST',
    path: (id) => `/v1/organizations/${id}/archive`,
    status: 200,
    versions: [1, 2],
    fields: { status: 'archived' },
  },
];

interface List {
  readonly data: readonly { readonly id: string }[];
  readonly total: number;
}

/** Checks that lists have an entity once, or not at all. */
async function requireListed(plural: string, id: string, fields: object | undefined): Promise<void> {
  for (const sortBy of ['createdAt', 'updatedAt']) {
    const { body } = await faulty.send<List>(
      'GET',
      `/v1/${plural}?sortBy=${sortBy}&sortOrder=desc&limit=100`,
    );
    expect(body.data.filter((one) => one.id === id)).toEqual(fields ? [expect.objectContaining(fields)] : []);
    expect(body.total).toBe(body.data.length);
  }
}

/** Returns the id of the entity that a transaction puts. */
const putId = (call: Call): string | undefined =>
  putItems(call).find(({ sk }) => sk?.S === 'entity')?.['id']?.S;

/** Checks how often transactions were sent and executed. */
function requireExecuted({ transactions, withdrawals, executed }: Expired, execution: Execution): void {
  const [first, second, ...others] = transactions as [Call, Call | undefined];
  expect([withdrawals, others]).toEqual([1, []]);
  if (execution === 'before the next one') {
    expect([second, executed?.status]).toEqual([undefined, 200]);
    return;
  }
  expect(executed?.status).toBe(execution === 'never' ? undefined : 400);
  expect(putId(second as Call)).toBe(putId(first));
  expect(recordKeyOf(second as Call)?.slice(0, stampPrefix(0).length)).not.toBe(
    recordKeyOf(first)?.slice(0, stampPrefix(0).length),
  );
}

describe.each([
  ['with', true],
  ['without', false],
])('%s an Idempotency-Key', (_, hasKey) => {
  describe.each(executions)('when an expired transaction is executed %s', (execution) => {
    test.each(operations.map((write) => [write.operation, write] as const))(
      '%s is applied once and succeeds',
      async (__, { plural, method, path, body, status, versions, fields }) => {
        const isCreation = status === 201;
        const subject = isCreation ? randomUUID() : (ids[plural] as string);
        const etag = isCreation
          ? null
          : (await faulty.send('GET', `/v1/${plural}/${subject}`)).headers.get('etag');
        const headers = {
          ...(hasKey && { 'idempotency-key': randomUUID() }),
          ...(etag && { 'if-match': etag }),
        };
        const expired = inject(subject, execution);
        const response = await faulty.send<{ id: string } | undefined>(
          method,
          path(subject),
          body?.(subject),
          headers,
        );
        faulty.proxy.inject(undefined);
        expect(response.status).toBe(status);
        requireExecuted(expired, execution);
        const id = response.body?.id ?? subject;
        expect(await recordedVersions(plural, id)).toEqual(versions);
        const read = await faulty.send('GET', `/v1/${plural}/${id}`);
        expect([read.status, read.body]).toMatchObject(fields ? [200, fields] : [404, {}]);
        await requireListed(plural, id, fields);
      },
    );
  });
});

test('a transaction is not sent by a machine that was suspended for 15 minutes, also before its first attempt', async () => {
  const name = randomUUID();
  const transactions: Call[] = [];
  faulty.proxy.inject(async (call, pass) => {
    const isOfRequest = call.operation === 'TransactWriteItems' && JSON.stringify(call.body).includes(name);
    if (!isOfRequest) return pass();
    transactions.push(call);
    if (transactions.length > 1) return pass();
    // DynamoDB throttles the first attempt. Before the next one, the machine is suspended.
    suspendedMs += 900_000;
    return errorResponse('ThrottlingException');
  });
  const { status, body } = await faulty.send<{ id: string }>('POST', '/v1/tasks', { name });
  faulty.proxy.inject(undefined);
  expect(status).toBe(201);
  const [first = 0, second = 0, ...others] = transactions.map((call) => stampOf(recordKeyOf(call) ?? ''));
  expect(others).toEqual([]);
  expect(second - first).toBeGreaterThanOrEqual(900_000);
  await requireListed('tasks', body.id, { name });
});

test('an expired transaction does not create an entity again that was deleted meanwhile', async () => {
  const name = randomUUID();
  const expired = inject(name, 'never');
  const { status, body } = await faulty.send<{ id: string }>('POST', '/v1/tasks', { name });
  faulty.proxy.inject(undefined);
  expect(status).toBe(201);
  expect((await faulty.send('DELETE', `/v1/tasks/${body.id}`)).status).toBe(204);
  expect((await expired.execute()).status).toBe(400);
  expect((await faulty.send('GET', `/v1/tasks/${body.id}`)).status).toBe(404);
  expect(await recordedVersions('tasks', body.id)).toEqual([1, 2]);
  await requireListed('tasks', body.id, undefined);
});

test('a withdrawal whose response is lost counts as a withdrawal', async () => {
  const name = randomUUID();
  const expired = inject(name, 'never', { losesWithdrawal: true });
  const { status, body } = await faulty.send<{ id: string }>('POST', '/v1/tasks', { name });
  faulty.proxy.inject(undefined);
  expect([status, expired.withdrawals, expired.transactions.length]).toEqual([201, 2, 2]);
  expect(await recordedVersions('tasks', body.id)).toEqual([1]);
});
