import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Contract } from '#functions/contract/contract.ts';
import { entityKey, textSortKey } from '#functions/store/model/keys.ts';
import type { Call, EngineResponse, Injector } from './engine-proxy.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { type Ids, makeEntities, makeTarget, operations, request } from './operations.ts';

/** Single failed calls and partial results: the caller sees no error. */

let faulty: FaultyService;
let ids: Ids;

beforeAll(async () => {
  faulty = await startFaultyService();
  ids = await makeEntities(faulty);
});

afterAll(() => faulty.stop());

const task = () => ({
  name: 'x',
  projectId: ids['projects'],
  userId: ids['users'],
  tagIds: [ids['tags']],
});

/** The calls of requests. The stream reader of the local service makes other calls. */
const ofRequests = ['BatchGetItem', 'GetItem', 'Query', 'TransactWriteItems'];

test('a call that hangs is aborted after two seconds and retried', async () => {
  const hung: ((response: undefined) => void)[] = [];
  const seen = new Set<string>();
  const injector: Injector = ({ operation }, pass) => {
    if (seen.has(operation) || !ofRequests.includes(operation)) return pass();
    seen.add(operation);
    return new Promise((resolve) => hung.push(resolve));
  };
  faulty.proxy.inject(injector);
  const responses = await Promise.all([
    faulty.send('GET', `/v1/tags/${ids['tags']}`),
    faulty.send('GET', '/v1/users'),
    // With a key, the request looks for a recorded result: GetItem.
    faulty.send('POST', '/v1/tasks', task(), { 'idempotency-key': 'hung' }),
  ]);
  faulty.proxy.inject(undefined);
  for (const drop of hung) drop(undefined);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 201]);
  expect([...seen].sort()).toEqual(ofRequests);
});

interface BatchResponse {
  Responses: Record<string, { pk: { S: string } }[]>;
  UnprocessedKeys: object;
}

/** Returns one item for each BatchGetItem and leaves the other keys unprocessed. */
const oneItemAtATime: Injector & { unprocessed: number } = Object.assign(
  async ({ operation, body }: Call, pass: () => Promise<EngineResponse>) => {
    const response = await pass();
    if (operation !== 'BatchGetItem') return response;
    const [[table, requested]] = Object.entries(
      body['RequestItems'] as Record<string, { Keys: { pk: { S: string } }[] }>,
    ) as [[string, { Keys: { pk: { S: string } }[] }]];
    const [first, ...others] = requested.Keys;
    const content = JSON.parse(response.body) as BatchResponse;
    const found = content.Responses[table] ?? [];
    content.Responses[table] = found.filter(({ pk }) => pk.S === first?.pk.S);
    content.UnprocessedKeys = others.length > 0 ? { [table]: { ...requested, Keys: others } } : {};
    oneItemAtATime.unprocessed += others.length;
    return { ...response, body: JSON.stringify(content) };
  },
  { unprocessed: 0 },
);

test('unprocessed keys of a batch are requested again', async () => {
  for (let number = 0; number < 3; number += 1) {
    expect((await faulty.send('POST', '/v1/tasks', { ...task(), priority: 'urgent' })).status).toBe(201);
  }
  faulty.proxy.inject(oneItemAtATime);
  const created = await faulty.send('POST', '/v1/tasks', { ...task(), priority: 'urgent' });
  const list = await faulty.send<{ data: object[]; total: number }>('GET', '/v1/tasks?priority=urgent');
  faulty.proxy.inject(undefined);
  expect(created.status).toBe(201);
  expect([list.body.data.length, list.body.total]).toEqual([4, 4]);
  expect(oneItemAtATime.unprocessed).toBeGreaterThan(0);
});

test('a list is complete when the query of its index is cut at 1 MB', async () => {
  const { projects: projectId, tasks: first } = await makeEntities(faulty);
  const created = await Promise.all(
    Array.from({ length: 70 }, () =>
      faulty.send<{ id: string }>('POST', '/v1/tasks', { name: 'x', projectId }),
    ),
  );
  expect(created.filter(({ status }) => status !== 201)).toEqual([]);
  // No entity has 40 KB. DynamoDB also counts attributes that the query does not read.
  const filler = 'x'.repeat(40_000);
  for (const id of [first ?? '', ...created.map(({ body }) => body.id)]) {
    await faulty.client.send(
      new UpdateCommand({
        TableName: faulty.service.tableName,
        Key: entityKey('public', 'task', id),
        UpdateExpression: 'SET filler = :filler',
        ExpressionAttributeValues: { ':filler': filler },
      }),
    );
  }
  let cut = 0;
  faulty.proxy.inject(async ({ operation }, pass) => {
    const response = await pass();
    if (operation === 'Query' && response.body.includes('"LastEvaluatedKey"')) cut += 1;
    return response;
  });
  const list = await faulty.send<{ data: object[]; total: number }>(
    'GET',
    `/v1/projects/${projectId}/tasks?limit=100`,
  );
  faulty.proxy.inject(undefined);
  // Includes the task of makeEntities.
  expect([list.body.data.length, list.body.total]).toEqual([71, 71]);
  expect(cut).toBe(1);
});

test('a write whose entity changed meanwhile is planned again once and keeps the other change', async () => {
  const path = `/v1/tags/${(await makeEntities(faulty))['tags']}`;
  let transactions = 0;
  faulty.proxy.inject(async ({ operation }, pass) => {
    if (operation !== 'TransactWriteItems') return pass();
    transactions += 1;
    if (transactions === 1) {
      const other = await faulty.send('PATCH', path, { description: 'of the other' });
      expect(other.status).toBe(200);
    }
    return pass();
  });
  const { status, body } = await faulty.send('PATCH', path, { color: '#123456' });
  faulty.proxy.inject(undefined);
  expect([status, body]).toMatchObject([200, { color: '#123456', description: 'of the other' }]);
  // The rejected transaction, the other one, and the new one. The rejected transaction is not repeated unchanged.
  expect(transactions).toBe(3);
});

interface BatchRead {
  readonly ConsistentRead?: boolean;
  readonly Keys: readonly Readonly<Record<'pk' | 'sk', { readonly S: string }>>[];
}

/** Returns whether a partition has columns of lists, which exist when compaction has run. Their items never change, and one that a replica lacks is read again. */
const hasColumns = (partition = ''): boolean => partition.includes('#columns#');

/**
 * Returns whether a batch reads only items that a replica can give: columns, and long texts. Each text is compared with the digest in its entity,
 * and read again if it does not match.
 */
const isFromAnyReplica = ({ Keys }: BatchRead): boolean =>
  Keys.every(({ pk, sk }) => sk.S === textSortKey || hasColumns(pk.S));

/** Returns whether a read is consistent. A query of an index cannot be, and a list compares the versions of the entities that it reads. */
function isConsistent({ operation, body }: Call, { success }: Contract): boolean {
  // A history reads a record again consistently if a replica lacks it.
  if (success === 'history' && operation === 'Query') return true;
  if (operation === 'BatchGetItem') {
    if (success === 'list' || success === 'changes') return true;
    const tables = Object.values(body['RequestItems'] as Record<string, BatchRead>);
    return tables.every((read) => read.ConsistentRead === true || isFromAnyReplica(read));
  }
  const values = body['ExpressionAttributeValues'] as Record<string, { readonly S?: string }> | undefined;
  if (operation === 'Query' && hasColumns(values?.[':partition']?.S)) return true;
  return body['ConsistentRead'] === true || (operation === 'Query' && body['IndexName'] !== undefined);
}

const reads = new Set(['GetItem', 'BatchGetItem', 'Query']);

test.each(operations.map((contract) => [contract.operation, contract] as const))(
  '%s uses consistent reads',
  async (_, contract) => {
    const own = contract.resource ? await makeTarget(faulty, contract, ids) : ids;
    const calls: Call[] = [];
    const keep: Injector = (call, pass) => {
      if (reads.has(call.operation)) calls.push(call);
      return pass();
    };
    const { status } = await faulty.injectWithoutJobs(keep, () => request(faulty, contract, own));
    expect(status).toBeLessThan(300);
    // An entity without references is created without a read.
    if (contract.success !== 'created') expect(calls.length).toBeGreaterThan(0);
    expect(calls.filter((call) => !isConsistent(call, contract)).map(({ body }) => body)).toEqual([]);
  },
);
