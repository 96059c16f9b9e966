import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { connect, type SdkDynamoDb } from '#functions/store/dynamodb/client.ts';
import { Database } from '#functions/store/dynamodb/database.ts';
import { Deadline } from '#functions/store/dynamodb/deadline.ts';
import { maxClockErrorMs } from '#functions/store/model/log-timing.ts';
import type { Kind } from '#functions/store/model/relations.ts';
import type { Item } from '#functions/store/model/writes.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { isClean, type Report } from '#lib/audit/report.ts';
import { type Engine, startEngine } from '#lib/local/dynamodb-engine.ts';
import { type Service, startService } from '#lib/local/service.ts';
import { ensureTable } from '#lib/local/table.ts';
import { compactAll } from '../support/compaction.ts';
import { runs } from '../support/runs.ts';
import { wallClock } from '../support/wall-clock.ts';
import { type EngineProxy, type Injector, seeded, startEngineProxy } from './engine-proxy.ts';
import { printedSeed } from './seed.ts';

/**
 * The restore of docs/data.md. A table that is restored to a point in time has each item as of that time, but it can have a part
 * of a transaction. Each round copies the table in the middle of a random transaction, switches the service to the copy, repairs it with
 * the audit and checks that it is correct and can be used.
 */

let engine: Engine;
let proxy: EngineProxy;
let client: SdkDynamoDb;
let random: () => number;

beforeAll(async () => {
  random = seeded(printedSeed());
  engine = await startEngine(':memory:');
  proxy = await startEngineProxy(engine.endpoint);
  // Not behind the services: a repair without the margin would leave their last records to the log.
  client = connect({ endpoint: engine.endpoint }, wallClock);
});

afterAll(async () => {
  client.destroy();
  await proxy.stop();
  await engine.stop();
});

const start = (tableName: string): Promise<Service> =>
  startService({ port: 0, databaseFile: ':memory:', endpoint: proxy.endpoint, tableName });

type Items = ReadonlyMap<string, Item>;

const identify = ({ pk, sk }: Pick<Item, 'pk' | 'sk'>): string => `${pk} ${sk}`;

async function readItems(TableName: string): Promise<Items> {
  const items = new Map<string, Item>();
  for await (const { Items = [] } of paginateScan(
    { client: client.documents },
    { TableName, ConsistentRead: true },
  )) {
    for (const item of Items as Item[]) items.set(identify(item), item);
  }
  return items;
}

interface Moment {
  readonly before: Items;
  readonly after: Items;
}

/** Returns an injector that takes a copy before and after a transaction of several items. @param skip transactions before it. */
function takeMoment(tableName: string, skip: number): Injector & { moment?: Moment } {
  let left = skip;
  const injector: Injector & { moment?: Moment } = async ({ operation, body }, pass) => {
    const items = operation === 'TransactWriteItems' ? (body['TransactItems'] as unknown[]).length : 0;
    if (items < 2 || injector.moment) return pass();
    left -= 1;
    if (left >= 0) return pass();
    const before = await readItems(tableName);
    const response = await pass();
    if (response.status === 200) injector.moment = { before, after: await readItems(tableName) };
    return response;
  };
  return injector;
}

/** Returns the items of a table that has a random part of the transaction. */
function tear({ before, after }: Moment): Item[] {
  const all = [...new Set([...before.keys(), ...after.keys()])];
  return all.flatMap((key) => (random() < 0.5 ? before.get(key) : after.get(key)) ?? []);
}

type Send = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ status: number; body: { id: string; total: number } }>;

const sender =
  ({ url }: Service): Send =>
  async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
  };

/** Longer than the text that an entity holds itself. */
const longText = (): string => `${random()} ${'é'.repeat(300)}`;

/** Creates an organization with a project, users and tasks, and changes, archives, clones and deletes some of them. */
async function work(send: Send): Promise<void> {
  const create = async (plural: string, body: object): Promise<string> =>
    (await send('POST', `/v1/${plural}`, { name: 'x', ...body })).body.id;
  const organizationId = await create('organizations', { description: longText() });
  const projectId = await create('projects', { organizationId, description: longText() });
  const userId = await create('users', { organizationId });
  const tagIds = [await create('tags', { organizationId })];
  const task = () => create('tasks', { projectId, userId, tagIds, description: longText() });
  const tasks = [await task(), await task(), await task()];
  const actions: (() => Promise<unknown>)[] = [
    () => send('PATCH', `/v1/tasks/${tasks[0]}`, { description: longText(), status: 'done' }),
    () => send('PATCH', `/v1/tasks/${tasks[1]}`, { description: 'short' }),
    () => send('DELETE', `/v1/tasks/${tasks[2]}`),
    () => send('POST', `/v1/projects/${projectId}/clone`),
    () => send('POST', `/v1/organizations/${organizationId}/archive`),
    () => send('DELETE', `/v1/tags/${tagIds[0]}`),
    () => send('DELETE', `/v1/users/${userId}`),
    () => send('DELETE', `/v1/projects/${projectId}`),
    task,
  ];
  for (const action of actions) if (random() < 0.6) await action();
  if (random() < 0.5) await send('DELETE', `/v1/organizations/${organizationId}`);
}

const kinds: readonly Kind[] = ['organization', 'project', 'user', 'task', 'tag'];

const openDatabase = (tableName: string): Database => new Database(client, tableName, new Deadline(300_000));

async function compactLogs(tableName: string): Promise<void> {
  for (const kind of ['project', 'task'] as const) await compactAll(openDatabase(tableName), 'public', kind);
}

async function copyTable(tableName: string): Promise<Item[]> {
  const service = await start(tableName);
  const send = sender(service);
  await work(send);
  if (random() < 0.5) await compactLogs(tableName);
  const injector = takeMoment(tableName, Math.floor(random() * 12));
  proxy.inject(injector);
  while (!injector.moment) await work(send);
  proxy.inject(undefined);
  await service.stop();
  return tear(injector.moment);
}

/** Checks that everything can be read and changed. */
async function use(send: Send): Promise<void> {
  for (const plural of ['organizations', 'projects', 'users', 'tags', 'tasks']) {
    const { data, total } = (await send('GET', `/v1/${plural}?limit=100&sortBy=name`)).body as unknown as {
      data: { id: string }[];
      total: number;
    };
    expect(data).toHaveLength(total);
    for (const { id } of data) {
      expect((await send('GET', `/v1/${plural}/${id}`)).status).toBe(200);
      expect((await send('PATCH', `/v1/${plural}/${id}`, { name: 'changed' })).status).toBe(200);
    }
  }
  await work(send);
}

const audit = (tableName: string, repair = false): Promise<Report> =>
  auditTable(client, tableName, { repair, pauseMs: 50, marginMs: 0 });

test('a table with a part of a transaction is correct after the repair, and can be used', async () => {
  let broken = 0;
  for (let round = 0; round < runs(8, 14); round += 1) {
    const restored = `restored-${round}`;
    const items = await copyTable(`live-${round}`);
    await ensureTable(new DynamoDBClient({ endpoint: engine.endpoint }), restored);
    for (const Item of items) await client.documents.send(new PutCommand({ TableName: restored, Item }));
    // A restore takes longer than the clocks of a writer and of the audit can differ.
    await delay(2 * maxClockErrorMs);
    if (!isClean(await audit(restored, true))) broken += 1;
    const repaired = { orphans: [], malformed: [], texts: [], subjects: [], logs: [] };
    expect(await audit(restored)).toMatchObject(repaired);
    // The log still has the part of the transaction.
    for (const kind of kinds) await compactAll(openDatabase(restored), 'public', kind);
    expect(await audit(restored)).toMatchObject(repaired);
    const service = await start(restored);
    await use(sender(service));
    await service.stop();
    expect(await audit(restored)).toMatchObject(repaired);
  }
  // The drill would prove nothing if the copies were correct.
  expect(broken).toBeGreaterThan(0);
});
