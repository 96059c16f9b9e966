import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { deleteEntity } from '../../../../functions/shared/store/cascades/delete-entity.ts';
import { createEntity } from '../../../../functions/shared/store/entities/create-entity.ts';
import { readEntity } from '../../../../functions/shared/store/entities/read-entity.ts';
import { cut } from '../../../../functions/shared/store/lists/counted-index/counters.ts';
import { buildCreate } from '../../../../functions/shared/store/model/changes.ts';
import type { Fields, StoredEntity } from '../../../../functions/shared/store/model/entity.ts';
import { encodeEntity } from '../../../../functions/shared/store/model/item-codec.ts';
import { applyChangeSet } from '../../../../functions/shared/store/unit-of-work/commit.ts';
import type { Session } from '../../../../functions/shared/store/unit-of-work/session.ts';
import { auditTable } from '../../../../lib/audit/audit-table.ts';
import { startTestStore, type TestStore } from '../../../support/local-store.ts';

/** The audit finds the errors that a test writes, and nothing else, and repairs them. Other writers continue. */

let store: TestStore;
const regularCut = { ...cut };

beforeEach(async () => {
  Object.assign(cut, { fullSection: 10, fullBlock: 4, fullGroup: 2, ahead: 900, grid: 50, planned: 100 });
  store = await startTestStore();
});

afterEach(async () => {
  Object.assign(cut, regularCut);
  await store.stop();
});

const audit = (repair = false) => auditTable(store.client, store.tableName, { repair, pause: 50 });
const clean = { drifts: [], orphans: [], malformed: [], unsettled: [], texts: [] };
const task = (more: object = {}): Fields => ({
  name: 'x',
  status: 'active',
  projectId: null,
  userId: null,
  tagIds: [],
  ...more,
});

/** Creates a project with tasks. 60 tasks make several blocks in several groups. */
async function fill(session: Session, tasks: number): Promise<{ project: string; tasks: StoredEntity[] }> {
  const organization = await createEntity(session, 'organization', { name: 'o', status: 'active' });
  const organizationId = organization.entity.id;
  const project = await createEntity(session, 'project', { name: 'p', status: 'active', organizationId });
  const projectId = project.entity.id;
  const made: StoredEntity[] = [];
  for (let number = 0; number < tasks; number += 1)
    made.push(await createEntity(session, 'task', task({ projectId })));
  return { project: projectId, tasks: made };
}

test('finds nothing while writers create and delete', async () => {
  const { project } = await fill(store.session('a'), 60);
  let isOver = false;
  const writers = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const session = store.session('a');
      const { entity } = await createEntity(session, 'task', task({ projectId: project }));
      if (Math.random() < 0.5) await deleteEntity(session, 'task', entity.id);
    }
  });
  const report = await audit();
  isOver = true;
  await Promise.all(writers);
  // A listing that changes all the time is unsettled. It must not be reported as wrong.
  expect(report).toMatchObject({ drifts: [], orphans: [], malformed: [], texts: [] });
  expect(await audit()).toMatchObject(clean);
});

test('finds and repairs a counter that drifted', async () => {
  await fill(store.session('a'), 90);
  const target = { TableName: store.tableName };
  const UpdateExpression = 'ADD #active :number, changes :one';
  for (const [sk, attribute, number] of [
    ['block#00000000-0000#0', '0=active', 3],
    ['group#00000000-0000#0', '=active', -2],
  ] as const) {
    await store.client.send(
      new UpdateCommand({
        ...target,
        Key: { pk: 'a#task', sk },
        UpdateExpression,
        ExpressionAttributeNames: { '#active': attribute },
        ExpressionAttributeValues: { ':number': number, ':one': 1 },
      }),
    );
  }
  const found = await audit();
  expect(found.drifts.map(({ where }) => where)).toEqual([
    'block 00000000-0000 of a#task',
    'group 00000000-0000 of a#task',
  ]);
  expect(await audit(true)).toMatchObject({ repaired: 2 });
  expect(await audit()).toMatchObject(clean);
});

test('finds and clears references to entities that do not exist', async () => {
  const session = store.session('a');
  const { project } = await fill(session, 2);
  const gone = buildCreate('user', { name: 'u', status: 'active' }).after.entity.id;
  const lost = buildCreate('task', task({ projectId: project, userId: gone, tagIds: [gone] }));
  await applyChangeSet(session, { changes: [lost] });
  expect((await audit()).orphans.map(({ field }) => field).sort()).toEqual(['tagIds', 'userId']);
  expect(await audit(true)).toMatchObject({ repaired: 2 });
  expect(await audit()).toMatchObject(clean);
  const { entity } = await readEntity(session, 'task', lost.after.entity.id);
  expect(entity).toMatchObject({ projectId: project, userId: null, tagIds: [] });
});

test('finds an entity whose keys do not match its fields', async () => {
  const { tasks } = await fill(store.session('a'), 1);
  const stored = tasks[0] as StoredEntity;
  const Item = { ...encodeEntity('a', stored, stored.stamp ?? 0), byStatus: 'another' };
  await store.client.send(new PutCommand({ TableName: store.tableName, Item }));
  expect((await audit()).malformed).toEqual([`a#task#${tasks[0]?.entity.id}`]);
});

describe('writers with different clocks', () => {
  const skew = new AsyncLocalStorage<number>();
  let clock: jest.SpyInstance;

  beforeEach(() => {
    const now = Date.now;
    clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + (skew.getStore() ?? 0));
  });

  afterEach(() => clock.mockRestore());

  /** Creates entities with a clock that is ahead of the real one. */
  const write = (tenant: string, aheadMs: number, entities: number): Promise<void> =>
    skew.run(aheadMs, async () => {
      for (let number = 0; number < entities; number += 1)
        await createEntity(store.session(tenant), 'task', task());
    });

  test('a third of the boundary lead apart count exactly', async () => {
    const tenant = randomUUID();
    const apart = cut.ahead / 3;
    // Twenty parallel writers, long enough for several blocks.
    const writers = Array.from({ length: 20 }, (_, writer) => write(tenant, apart * (writer / 19 - 0.5), 15));
    await Promise.all(writers);
    expect(await audit()).toMatchObject(clean);
  });

  test('ten times the boundary lead apart count wrongly, and the audit repairs it', async () => {
    const tenant = randomUUID();
    await write(tenant, 5 * cut.ahead, 5);
    // Fills the section and writes a boundary that is before the ids of the first writer.
    await write(tenant, -5 * cut.ahead, 20);
    expect((await audit()).drifts.length).toBeGreaterThan(0);
    await audit(true);
    expect(await audit()).toMatchObject(clean);
  });
});
