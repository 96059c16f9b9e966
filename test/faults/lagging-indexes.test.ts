import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Engine, startEngine } from '../../lib/local/dynamodb-engine.ts';
import { ensureTable } from '../../lib/local/table.ts';
import { laggingIndexes } from './engine-proxy.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';

/** Indexes that receive a write after its acknowledgement, like those of DynamoDB. Emulators update them at once. */

interface List {
  readonly data: { readonly id: string }[];
  readonly total: number;
}

let faulty: FaultyService;
let replica: Engine;

beforeAll(async () => {
  faulty = await startFaultyService();
  replica = await startEngine(':memory:');
  const client = new DynamoDBClient({ endpoint: replica.endpoint });
  await ensureTable(client, faulty.service.tableName);
  client.destroy();
});

afterAll(async () => {
  await faulty.stop();
  await replica.stop();
});

const make = async (plural: string, fields: object = {}): Promise<string> =>
  (await faulty.send<{ id: string }>('POST', `/v1/${plural}`, { name: 'x', ...fields })).body.id;

async function expectList(path: string, ids: readonly string[]): Promise<void> {
  const { status, body } = await faulty.send<List>('GET', path);
  expect([path, status, body.total, body.data.map(({ id }) => id)]).toEqual([path, 200, ids.length, ids]);
}

describe.each([200, 2_000])('when indexes lag by %i ms', (milliseconds) => {
  let lagging: ReturnType<typeof laggingIndexes>;

  beforeAll(() => {
    lagging = laggingIndexes(replica.endpoint, milliseconds);
    faulty.proxy.inject(lagging);
  });

  // Pending writes to a stopped replica would fail a later test.
  afterAll(async () => {
    faulty.proxy.inject(undefined);
    await lagging.caughtUp();
  });

  test('the next list contains created entities and no deleted ones', async () => {
    const project = await make('projects', { organizationId: await make('organizations') });
    const ids: string[] = [];
    for (let number = 0; number < 7; number += 1) ids.unshift(await make('tasks', { projectId: project }));
    const path = `/v1/projects/${project}/tasks`;
    await expectList(path, ids);
    await expectList(`${path}?sortOrder=asc`, ids.toReversed());
    await faulty.send('DELETE', `/v1/tasks/${ids[1]}`);
    ids.splice(1, 1);
    await expectList(path, ids);
    await faulty.send('PATCH', `/v1/tasks/${ids[2]}`, { status: 'done' });
    await expectList(`${path}?status=done`, ids.slice(2, 3));
    await expectList(`${path}?status=active`, ids.toSpliced(2, 1));
  });

  test('a filtered scan waits for new entities', async () => {
    const project = await make('projects', { organizationId: await make('organizations') });
    const ids = [await make('tasks', { projectId: project, priority: 'high' })];
    ids.unshift(await make('tasks', { projectId: project, priority: 'high' }));
    await expectList(`/v1/projects/${project}/tasks?priority=high`, ids);
  });

  test('totals are correct at once on any page', async () => {
    const project = await make('projects', { organizationId: await make('organizations') });
    const path = `/v1/projects/${project}/tasks?limit=3&page=`;
    for (let number = 1; number <= 7; number += 1) {
      await make('tasks', { projectId: project });
      for (const page of [1, 2, 3, 4]) {
        expect((await faulty.send<List>('GET', path + page)).body.total).toBe(number);
      }
    }
  });
});
