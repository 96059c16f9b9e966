import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { logPartition, manifestSortKey } from '#functions/store/model/change-log.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { type Engine, startEngine } from '#lib/local/dynamodb-engine.ts';
import { setEngineEnvironment } from '#lib/local/engine-environment.ts';
import { killLeftovers, type StartedService, start } from '../cli/started-service.ts';
import { areValues, listQuery, sortedBy } from '../support/list-queries.ts';
import { plainList, ranks } from '../support/plain-list.ts';
import { type TestClient, testClient } from '../support/test-client.ts';
import { conflicts, type EngineProxy, lostResponses, seeded, startEngineProxy } from './engine-proxy.ts';

/**
 * Two services on one table, each in a process of its own, with lost responses or conflicts in between. Both run the jobs. Random writes go to
 * one service and lists come from the other, until compaction has absorbed records, and for some time after that.
 */

const tableName = 'several-processes';
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const sortFields = ['name', 'status', 'priority', 'dueDate', 'description', 'updatedAt', 'createdAt'];

/** Writes after the columns exist. */
const writesWithColumns = 60;

interface Task {
  readonly id: string;
  readonly [field: string]: unknown;
}

let engine: Engine;
let proxies: EngineProxy[] = [];
let services: StartedService[] = [];
let client: TestClient;

beforeAll(async () => {
  engine = await startEngine(':memory:');
  setEngineEnvironment(engine.endpoint);
  client = testClient(engine.endpoint);
  proxies = [await startEngineProxy(engine.endpoint), await startEngineProxy(engine.endpoint)];
  // One after the other: the first one creates the table.
  for (const { endpoint } of proxies) {
    services.push(
      await start({ DYNAMODB_ENDPOINT: endpoint, TABLE_NAME: tableName, AWS_ENDPOINT_URL_DYNAMODB: '' }),
    );
  }
  proxies[0]?.inject(lostResponses(0.1, seed));
  proxies[1]?.inject(conflicts(4));
});

afterAll(async () => {
  await killLeftovers();
  services = [];
  for (const proxy of proxies) {
    proxy.inject(undefined);
    await proxy.stop();
  }
  client.destroy();
  await engine.stop();
});

const random = seeded(seed);
const any = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)] as Value;

/** Sends a request to a service again until it does not fail for a fault. */
async function send(service: StartedService, method: string, path: string, body?: object) {
  const headers = { 'content-type': 'application/json', 'idempotency-key': `${seed}-${Math.random()}` };
  for (;;) {
    const response = await fetch(service.url + path, {
      method,
      headers: method === 'POST' ? headers : { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status >= 500) continue;
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }
}

const fields = (): object => ({
  name: any(['a', 'b', 'c', 'd']),
  status: any(['todo', 'done', 'waiting-for-parts']),
  priority: any(ranks.priority),
  dueDate: any([null, '2026-01-01', '2026-02-01']),
  description: any(['', 'short', 'x'.repeat(300)]),
});

async function write(service: StartedService, tasks: Map<string, Task>): Promise<void> {
  const id = tasks.size > 0 ? any([...tasks.keys()]) : undefined;
  const dice = random();
  if (!id || dice < 0.5) {
    const { status, body } = await send(service, 'POST', '/v1/tasks', fields());
    expect(status).toBe(201);
    tasks.set(body.id, body);
  } else if (dice < 0.6) {
    const other = [...tasks.keys()].find((one) => one !== id);
    const operations = [
      { operation: 'create', body: fields() },
      { operation: 'update', id, body: fields() },
      ...(other ? [{ operation: 'delete', id: other }] : []),
    ];
    const { status, body } = await send(service, 'POST', '/v1/tasks/batch', { operations });
    expect(status).toBe(200);
    for (const result of body.results) if (result.body) tasks.set(result.body.id, result.body);
    if (other) tasks.delete(other);
  } else if (dice < 0.85) {
    const { status, body } = await send(service, 'PATCH', `/v1/tasks/${id}`, fields());
    expect(status).toBe(200);
    tasks.set(id, body);
  } else {
    // A response that was lost made the first attempt succeed.
    expect([204, 404]).toContain((await send(service, 'DELETE', `/v1/tasks/${id}`)).status);
    tasks.delete(id);
  }
}

async function compareList(service: StartedService, tasks: ReadonlyMap<string, Task>): Promise<void> {
  const filter = any<Readonly<Record<string, string>>>([
    {},
    { priority: any(ranks.priority) },
    { status: any(['todo', 'waiting-for-parts']) },
    { name: 'a', priority: 'high' },
    { description: 'x'.repeat(300) },
  ]);
  const sortBy = any(sortFields);
  const sortOrder = any(['asc', 'desc'] as const);
  const limit = 1 + Math.floor(random() * 20);
  const sort = sortedBy(sortBy, sortOrder);
  const matching = listQuery({ filters: areValues(filter), sort, ranks, limit });
  const { total } = plainList(tasks.values(), matching);
  const page = 1 + Math.floor((random() * total) / limit);
  const query = new URLSearchParams({
    ...filter,
    sortBy,
    sortOrder,
    limit: String(limit),
    page: String(page),
  });
  const { status, body } = await send(service, 'GET', `/v1/tasks?${query}`);
  expect([String(query), status, body.total]).toEqual([String(query), 200, total]);
  const ids = plainList(tasks.values(), { ...matching, page }).entities.map(({ id }) => id);
  expect([String(query), body.data.map(({ id }: Task) => id)]).toEqual([String(query), ids]);
}

async function hasColumns(): Promise<boolean> {
  const Key = { pk: logPartition('public', 'task'), sk: manifestSortKey };
  return (
    (await client.send(new GetCommand({ TableName: tableName, Key, ConsistentRead: true }))).Item !==
    undefined
  );
}

test('lists of one service contain every write of the other, while both compact the log', async () => {
  const tasks = new Map<string, Task>();
  const [one, other] = services as [StartedService, StartedService];
  let left = writesWithColumns;
  for (let number = 0; left > 0; number += 1) {
    const [writer, reader] = number % 2 === 0 ? [one, other] : [other, one];
    await write(writer, tasks);
    await compareList(reader, tasks);
    if (await hasColumns()) left -= 1;
  }
  for (const service of services) for (let list = 0; list < 30; list += 1) await compareList(service, tasks);
  for (const proxy of proxies) proxy.inject(undefined);
  const report = await auditTable(client, tableName, { pauseMs: 500 });
  expect(report).toMatchObject({ orphans: [], malformed: [], texts: [], subjects: [], logs: [] });
});
