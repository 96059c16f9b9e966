import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { Database } from '#functions/store/dynamodb/database.ts';
import { Deadline } from '#functions/store/dynamodb/deadline.ts';
import {
  decodeRecord,
  logPartition,
  manifestSortKey,
  recordPrefix,
} from '#functions/store/model/change-log.ts';
import { entityKey } from '#functions/store/model/keys.ts';
import type { Item, Key } from '#functions/store/model/writes.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { compactAll } from '../support/compaction.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';

/** Requests to a service whose table has what another release of it has written. */

interface Body {
  readonly id: string;
  readonly total: number;
  readonly data: readonly { readonly name: string }[];
}

let faulty: FaultyService;

beforeAll(async () => {
  faulty = await startFaultyService();
});

afterAll(() => faulty.stop());

const TableName = () => faulty.service.tableName;

async function read(key: Key): Promise<Item> {
  const { Item } = await faulty.client.send(new GetCommand({ TableName: TableName(), Key: { ...key } }));
  return Item as Item;
}

const put = (Item: Item) => faulty.client.send(new PutCommand({ TableName: TableName(), Item }));

const compact = (kind: 'task' | 'tag') =>
  compactAll(new Database(faulty.client, TableName(), new Deadline(300_000)), 'public', kind);

const names = async (path: string): Promise<readonly string[]> =>
  (await faulty.send<Body>('GET', path)).body.data.map(({ name }) => name);

test('a list is 503 when another release has written the manifest; the log names the format and the page; the audit repairs it', async () => {
  for (const name of ['a', 'b']) await faulty.send('POST', '/v1/tags', { name });
  await compact('tag');
  await faulty.send('POST', '/v1/tags', { name: 'c' });
  const key = { pk: logPartition('public', 'tag'), sk: manifestSortKey };
  await put({ ...(await read(key)), format: 99 });
  const logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  const response = await faulty.send('GET', '/v1/tags?sortBy=name');
  const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
  logged.mockRestore();
  expect(response).toMatchObject({
    status: 503,
    body: { detail: 'Another release of the service has stored what this one cannot read.' },
  });
  expect(response.headers.get('retry-after')).toBe('60');
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 'ERROR',
      operation: 'listTags',
      error: expect.objectContaining({
        name: 'UnknownFormat',
        message:
          'The format of a stored item (manifest) is 99, and this release reads 6. See "A format is unknown" in docs/operations.md.',
      }),
    }),
  );
  // Other requests do not need it.
  expect((await faulty.send('POST', '/v1/tags', { name: 'd' })).status).toBe(201);
  const options = { pauseMs: 0, marginMs: 0, repair: true };
  expect(await auditTable(faulty.client, TableName(), options)).toMatchObject({ repaired: 1 });
  expect(await names('/v1/tags?sortBy=name&sortOrder=asc')).toEqual(['a', 'b', 'c', 'd']);
});

describe('a field that the next release adds', () => {
  const fields = { name: 'a', priority: 'high' };

  /** Creates a task, and adds a field to its item as the next release does. */
  async function taskWithField(): Promise<string> {
    const { id } = (await faulty.send<Body>('POST', '/v1/tasks', fields)).body;
    await put({ ...(await read(entityKey('public', 'task', id))), colour: 'red', labels: ['x', 'y'] });
    return id;
  }

  test.each([
    ['PATCH', { name: 'b' }],
    ['PUT', { name: 'b' }],
  ])(
    'is kept by a %s, in the entity and in the record of the change, and is not shown',
    async (method, body) => {
      const id = await taskWithField();
      const response = await faulty.send(method, `/v1/tasks/${id}`, body);
      expect(response.status).toBe(200);
      expect(response.body).not.toHaveProperty('colour');
      expect(await read(entityKey('public', 'task', id))).toMatchObject({
        name: 'b',
        colour: 'red',
        labels: ['x', 'y'],
      });
      const { Items = [] } = await faulty.client.send(
        new QueryCommand({
          TableName: TableName(),
          KeyConditionExpression: 'pk = :log AND begins_with(sk, :record)',
          ExpressionAttributeValues: { ':log': logPartition('public', 'task'), ':record': recordPrefix },
        }),
      );
      const entries = Items.map((item) => decodeRecord(item as Item)).flatMap(({ entries }) => entries);
      expect(entries.find((entry) => entry.id === id && entry.version === 2)?.after).toMatchObject({
        name: 'b',
        colour: 'red',
        labels: 'x,y',
      });
    },
  );

  test('is kept in the rows of lists, when this release compacts them', async () => {
    const id = await taskWithField();
    await faulty.send('PATCH', `/v1/tasks/${id}`, { name: 'c' });
    await compact('task');
    // The audit compares the rows with the entities, in all their fields. It repairs the tasks whose field this test has added by hand.
    await auditTable(faulty.client, TableName(), { pauseMs: 0, marginMs: 0, repair: true });
    await faulty.send('PATCH', `/v1/tasks/${id}`, { name: 'd' });
    await compact('task');
    expect(await auditTable(faulty.client, TableName(), { pauseMs: 0 })).toMatchObject({
      logs: [],
      malformed: [],
    });
  });

  test('is copied by a clone', async () => {
    const organizationId = (await faulty.send<Body>('POST', '/v1/organizations', { name: 'o' })).body.id;
    const { id } = (await faulty.send<Body>('POST', '/v1/projects', { name: 'p', organizationId })).body;
    await put({ ...(await read(entityKey('public', 'project', id))), colour: 'red' });
    const clone = (await faulty.send<Body>('POST', `/v1/projects/${id}/clone`)).body.id;
    expect(await read(entityKey('public', 'project', clone))).toMatchObject({ name: 'p', colour: 'red' });
  });
});
