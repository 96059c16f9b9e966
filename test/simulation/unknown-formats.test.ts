import {
  decodeRecord,
  logPartition,
  manifestSortKey,
  recordPrefix,
} from '#functions/engine/model/change-log.ts';
import { entityKey } from '#functions/engine/model/keys.ts';
import type { Item, Key } from '#functions/engine/model/writes.ts';
import { Database } from '#functions/engine/table/database.ts';
import { Deadline } from '#functions/engine/table/deadline.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { compactAll } from '../support/compaction.ts';
import { type InProcessService, startInProcessService } from '../support/in-process-service.ts';

/** Requests to a service whose table has what another release of it has written. */

interface Body {
  readonly id: string;
  readonly total: number;
  readonly data: readonly { readonly name: string }[];
}

let service: InProcessService;

beforeAll(async () => {
  service = await startInProcessService();
});

afterAll(() => service.stop());

async function send<Returned = Body>(method: string, path: string, fields?: object) {
  const headers = fields ? { 'content-type': 'application/json' } : undefined;
  const content = fields && Buffer.from(JSON.stringify(fields));
  const { text, ...response } = await service.request(method, path, { ...headers }, content);
  return { ...response, body: JSON.parse(text) as Returned };
}

function read(key: Key): Item {
  const item = service.table.snapshot().find(({ pk, sk }) => pk === key.pk && sk === key.sk);
  if (!item) throw new Error(`There is no item ${key.pk} ${key.sk}.`);
  return item;
}

const put = (Item: Item) => service.table.putItem({ TableName: service.table.tableName, Item });

const audit = (options: object = {}) =>
  auditTable(service.table, service.table.tableName, { pauseMs: 0, ...options });

const compact = (kind: 'task' | 'tag') =>
  compactAll(new Database(service.table, service.table.tableName, new Deadline(300_000)), 'public', kind);

const names = async (path: string): Promise<readonly string[]> =>
  (await send<Body>('GET', path)).body.data.map(({ name }) => name);

test('a list is 503 when another release has written the manifest; the log names the format and the page; the audit repairs it', async () => {
  for (const name of ['a', 'b']) await send('POST', '/v1/tags', { name });
  await compact('tag');
  await send('POST', '/v1/tags', { name: 'c' });
  const key = { pk: logPartition('public', 'tag'), sk: manifestSortKey };
  await put({ ...read(key), format: 99 });
  const logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  const response = await send('GET', '/v1/tags?sortBy=name');
  const lines = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
  logged.mockRestore();
  expect(response).toMatchObject({
    status: 503,
    body: { detail: 'Another release of the service has stored what this one cannot read.' },
  });
  expect(response.headers['retry-after']).toBe('60');
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: 'ERROR',
      operation: 'listTags',
      error: expect.objectContaining({
        name: 'UnknownFormat',
        message:
          'The format of a stored item (manifest) is 99, and this release reads 1. See "A format is unknown" in docs/operations.md.',
      }),
    }),
  );
  // Other requests do not need it.
  expect((await send('POST', '/v1/tags', { name: 'd' })).status).toBe(201);
  expect(await audit({ repair: true })).toMatchObject({ repaired: 1 });
  expect(await names('/v1/tags?sortBy=name&sortOrder=asc')).toEqual(['a', 'b', 'c', 'd']);
});

describe('a field that the next release adds', () => {
  const fields = { name: 'a', priority: 'high' };

  /** Creates a task, and adds a field to its item as the next release does. */
  async function taskWithField(): Promise<string> {
    const { id } = (await send<Body>('POST', '/v1/tasks', fields)).body;
    await put({ ...read(entityKey('public', 'task', id)), colour: 'red', labels: ['x', 'y'] });
    return id;
  }

  test.each([
    ['PATCH', { name: 'b' }],
    ['PUT', { name: 'b' }],
  ])(
    'is kept by a %s, in the entity and in the record of the change, and is not shown',
    async (method, body) => {
      const id = await taskWithField();
      const response = await send(method, `/v1/tasks/${id}`, body);
      expect(response.status).toBe(200);
      expect(response.body).not.toHaveProperty('colour');
      expect(read(entityKey('public', 'task', id))).toMatchObject({
        name: 'b',
        colour: 'red',
        labels: ['x', 'y'],
      });
      const records = service.table
        .snapshot()
        .filter(({ pk, sk }) => pk === logPartition('public', 'task') && sk.startsWith(recordPrefix));
      const entries = records.map((item) => decodeRecord(item)).flatMap(({ entries }) => entries);
      expect(entries.find((entry) => entry.id === id && entry.version === 2)?.after).toMatchObject({
        name: 'b',
        colour: 'red',
        labels: 'x,y',
      });
    },
  );

  test('is kept in the rows of lists, when this release compacts them', async () => {
    const id = await taskWithField();
    await send('PATCH', `/v1/tasks/${id}`, { name: 'c' });
    await compact('task');
    // The audit compares the rows with the entities, in all their fields. It repairs the tasks whose field this test has added by hand.
    await audit({ repair: true });
    await send('PATCH', `/v1/tasks/${id}`, { name: 'd' });
    await compact('task');
    expect(await audit()).toMatchObject({
      logs: [],
      malformed: [],
    });
  });

  test('is copied by a clone', async () => {
    const organizationId = (await send<Body>('POST', '/v1/organizations', { name: 'o' })).body.id;
    const { id } = (await send<Body>('POST', '/v1/projects', { name: 'p', organizationId })).body;
    await put({ ...read(entityKey('public', 'project', id)), colour: 'red' });
    const clone = (await send<Body>('POST', `/v1/projects/${id}/clone`)).body.id;
    expect(read(entityKey('public', 'project', clone))).toMatchObject({ name: 'p', colour: 'red' });
  });
});
