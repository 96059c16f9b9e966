import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { connect } from '../../../functions/shared/store/client.ts';
import { Database } from '../../../functions/shared/store/database.ts';
import { Deadline } from '../../../functions/shared/store/deadline.ts';
import { embeddedClient } from '../../../lib/local/embedded-client.ts';
import { type Engine, inMemory, startEngine } from '../../../lib/local/engine.ts';
import { setEngineEnvironment } from '../../../lib/local/engine-environment.ts';
import { ensureTable } from '../../../lib/local/table.ts';
import { type EngineProxy, type Injector, startEngineProxy } from '../../faults/engine-proxy.ts';

/** The client of the engine that the service starts itself fails as the SDK's own HTTP client does. */

const TableName = 'embedded';
const key = { pk: 'there', sk: 'entity' };
const text = 'Grüße, 世界 🎉 '.repeat(3_000);

let engine: Engine;
let proxy: EngineProxy;
let client: ReturnType<typeof connect>;

const database = (milliseconds: number): Database =>
  new Database(client, TableName, new Deadline(milliseconds));

beforeAll(async () => {
  engine = await startEngine(inMemory);
  setEngineEnvironment(engine.endpoint);
  proxy = await startEngineProxy(engine.endpoint);
  client = connect({ ...embeddedClient(proxy.endpoint), endpoint: proxy.endpoint });
  const direct = connect({ ...embeddedClient(engine.endpoint), endpoint: engine.endpoint });
  await ensureTable(direct, TableName);
  await direct.send(new PutCommand({ TableName, Item: { ...key, text } }));
  direct.destroy();
});
afterEach(() => proxy.inject(undefined));
afterAll(async () => {
  client.destroy();
  await proxy.stop();
  await engine.stop();
});

test('an answer in many pieces arrives whole, with all of its characters', async () => {
  expect(await database(5_000).get(key)).toEqual({ ...key, text });
});

test('more calls at once than it opens connections are all answered', async () => {
  const reads = await Promise.all(Array.from({ length: 200 }, () => database(10_000).get(key)));
  expect(reads.map((item) => item?.sk)).toEqual(Array.from({ length: 200 }, () => key.sk));
});

test('a refusal is the error that DynamoDB names', async () => {
  const read = client.send(new GetCommand({ TableName: 'nothing-here', Key: key }));
  await expect(read).rejects.toMatchObject({ name: 'ResourceNotFoundException', $fault: 'client' });
});

/** Calls that hang; they must not outlast the test. */
const hung: ((reply: undefined) => void)[] = [];
const hang: Injector = () => new Promise((resolve) => hung.push(resolve));
const release = (): void => {
  for (const drop of hung.splice(0)) drop(undefined);
};

const once = (injector: Injector): Injector => {
  let isOver = false;
  return (call, pass) => {
    if (isOver) return pass();
    isOver = true;
    return injector(call, pass);
  };
};

const faults: readonly (readonly [string, Injector])[] = [
  ['a connection that is reset', async () => undefined],
  ['an answer that breaks off', async (_, pass) => ({ ...(await pass()), breaks: true })],
  ['an answer that does not come in two seconds', hang],
];

test.each(faults)('%s is tried again', async (_, fault) => {
  proxy.inject(once(fault));
  const asked = database(8_000);
  expect(await asked.get(key)).toEqual({ ...key, text });
  expect(asked.consumption.calls).toBe(2);
  release();
});

test.each(faults)('%s, again and again, ends in time, and the next call is served', async (_, fault) => {
  proxy.inject(fault);
  const started = performance.now();
  await expect(database(1_000).get(key)).rejects.toMatchObject({ name: 'StoreUnavailable' });
  expect(performance.now() - started).toBeLessThan(1_500);
  proxy.inject(undefined);
  release();
  expect(await database(5_000).get(key)).toEqual({ ...key, text });
});

test('what is aborted says so, before it begins, while it waits for a connection, and on its way', async () => {
  const read = (abortSignal: AbortSignal) =>
    client.send(new GetCommand({ TableName, Key: key }), { abortSignal });
  await expect(read(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  proxy.inject(hang);
  const controller = new AbortController();
  // More than there are connections: the last of them wait.
  const reads = Array.from({ length: 60 }, () => read(controller.signal));
  const ends = Promise.allSettled(reads);
  while (hung.length < 50) await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort();
  const names = (await ends).map((end) => (end.status === 'rejected' ? end.reason.name : 'answered'));
  expect(names).toEqual(Array.from({ length: 60 }, () => 'AbortError'));
  proxy.inject(undefined);
  release();
  expect(await database(5_000).get(key)).toEqual({ ...key, text });
});

test('an engine that is gone is one that may come back', async () => {
  const gone = await startEngineProxy(engine.endpoint);
  const lonely = connect({ ...embeddedClient(gone.endpoint), endpoint: gone.endpoint });
  await gone.stop();
  const asked = new Database(lonely, TableName, new Deadline(300));
  await expect(asked.get(key)).rejects.toMatchObject({ name: 'StoreUnavailable' });
  const back = await startEngineProxy(engine.endpoint, Number(new URL(gone.endpoint).port));
  expect(await new Database(lonely, TableName, new Deadline(5_000)).get(key)).toEqual({ ...key, text });
  lonely.destroy();
  await back.stop();
});
