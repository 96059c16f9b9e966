import type { Call, Injector, Reply } from './engine-proxy.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { type Ids, makeEntities, makeEntity, operations, request } from './operations.ts';

/** Calls that fail once, or in part: whoever asked does not notice. */

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

/** What requests do; the stream is read all the time. */
const ofRequests = ['BatchGetItem', 'GetItem', 'Query', 'TransactWriteItems'];

test('a call that hangs is given up after two seconds, and made again', async () => {
  const hung: ((reply: undefined) => void)[] = [];
  const seen = new Set<string>();
  const injector: Injector = ({ operation }, pass) => {
    if (seen.has(operation) || !ofRequests.includes(operation)) return pass();
    seen.add(operation);
    return new Promise((resolve) => hung.push(resolve));
  };
  faulty.proxy.inject(injector);
  const answers = await Promise.all([
    faulty.send('GET', `/v1/tags/${ids['tags']}`),
    faulty.send('GET', '/v1/users'),
    faulty.send('POST', '/v1/tasks', task()),
  ]);
  faulty.proxy.inject(undefined);
  for (const drop of hung) drop(undefined);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 201]);
  expect([...seen].sort()).toEqual(ofRequests);
});

interface BatchReply {
  Responses: Record<string, { pk: { S: string } }[]>;
  UnprocessedKeys: object;
}

/** Gives one item for each BatchGetItem, and says of the other keys that it had no time for them. */
const oneItemAtATime: Injector & { leftOut: number } = Object.assign(
  async ({ operation, body }: Call, pass: () => Promise<Reply>) => {
    const reply = await pass();
    if (operation !== 'BatchGetItem') return reply;
    const [[table, asked]] = Object.entries(
      body['RequestItems'] as Record<string, { Keys: { pk: { S: string } }[] }>,
    ) as [[string, { Keys: { pk: { S: string } }[] }]];
    const [first, ...others] = asked.Keys;
    const content = JSON.parse(reply.body) as BatchReply;
    const found = content.Responses[table] ?? [];
    content.Responses[table] = found.filter(({ pk }) => pk.S === first?.pk.S);
    content.UnprocessedKeys = others.length > 0 ? { [table]: { ...asked, Keys: others } } : {};
    oneItemAtATime.leftOut += others.length;
    return { ...reply, body: JSON.stringify(content) };
  },
  { leftOut: 0 },
);

test('keys that a batch leaves out are asked for again', async () => {
  for (let number = 0; number < 3; number += 1) {
    expect((await faulty.send('POST', '/v1/tasks', { ...task(), priority: 'urgent' })).status).toBe(201);
  }
  faulty.proxy.inject(oneItemAtATime);
  const made = await faulty.send('POST', '/v1/tasks', { ...task(), priority: 'urgent' });
  const list = await faulty.send<{ data: object[]; total: number }>('GET', '/v1/tasks?priority=urgent');
  faulty.proxy.inject(undefined);
  expect(made.status).toBe(201);
  expect([list.body.data.length, list.body.total]).toEqual([4, 4]);
  expect(oneItemAtATime.leftOut).toBeGreaterThan(0);
});

test('a reading that is cut at 1 MB goes on where it was cut', async () => {
  const projectId = (await makeEntities(faulty))['projects'];
  // 40 KB each: four bytes a character.
  const description = '😀'.repeat(10_000);
  const made = await Promise.all(
    Array.from({ length: 70 }, () => faulty.send('POST', '/v1/tasks', { name: 'x', description, projectId })),
  );
  expect(made.filter(({ status }) => status !== 201)).toEqual([]);
  let cut = 0;
  faulty.proxy.inject(async ({ operation }, pass) => {
    const reply = await pass();
    if (operation === 'Query' && reply.body.includes('"LastEvaluatedKey"')) cut += 1;
    return reply;
  });
  const list = await faulty.send<{ data: object[]; total: number }>(
    'GET',
    `/v1/projects/${projectId}/tasks?priority=none&limit=100`,
  );
  faulty.proxy.inject(undefined);
  // One more, which makeEntities made.
  expect([list.body.data.length, list.body.total]).toEqual([71, 71]);
  expect(cut).toBeGreaterThan(1);
});

test('a write that another came before is planned anew, once, and takes nothing of it back', async () => {
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
  // Ours, which was refused; the other; ours again. What was refused is not sent again as it was.
  expect(transactions).toBe(3);
});

/** Whether a read sees the last write; an index cannot, and is waited for. */
function isConsistent({ operation, body }: Call): boolean {
  if (operation === 'BatchGetItem') {
    const tables = Object.values(body['RequestItems'] as Record<string, { ConsistentRead?: boolean }>);
    return tables.every(({ ConsistentRead }) => ConsistentRead === true);
  }
  return body['ConsistentRead'] === true || (operation === 'Query' && body['IndexName'] !== undefined);
}

const reads = new Set(['GetItem', 'BatchGetItem', 'Query']);

test.each(operations.map((contract) => [contract.operation, contract] as const))(
  '%s reads the table as the last write left it',
  async (_, contract) => {
    const own = contract.resource ? await makeEntity(faulty, contract.resource.plural, ids) : ids;
    const calls: Call[] = [];
    faulty.proxy.inject((call, pass) => {
      if (reads.has(call.operation)) calls.push(call);
      return pass();
    });
    const { status } = await request(faulty, contract, own);
    faulty.proxy.inject(undefined);
    expect(status).toBeLessThan(300);
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.filter((call) => !isConsistent(call)).map(({ body }) => body)).toEqual([]);
  },
);
