import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { deleteEntity } from '#functions/store/cascades/delete-entity.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { readEntity } from '#functions/store/entities/read-entity.ts';
import { updateEntity } from '#functions/store/entities/update-entity.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import type { Fields, StoredEntity } from '#functions/store/model/entity.ts';
import { encodeEntity } from '#functions/store/model/item-codec.ts';
import { entityKey } from '#functions/store/model/keys.ts';
import { applyChangeSet } from '#functions/store/unit-of-work/commit.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { compactAll } from '#test/support/compaction.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

/** The audit finds the errors that a test writes, and nothing else, and repairs them. Other writers continue. */

let store: TestStore;

beforeEach(async () => {
  store = await startTestStore();
});

afterEach(async () => {
  await store.stop();
});

const audit = (repair = false) => auditTable(store.client, store.tableName, { repair, pauseMs: 50 });
const clean = { orphans: [], malformed: [], texts: [], subjects: [], logs: [] };
const task = (more: object = {}): Fields => ({
  name: 'x',
  status: 'active',
  projectId: null,
  userId: null,
  tagIds: [],
  ...more,
});

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
  expect(report).toMatchObject({ orphans: [], malformed: [], texts: [], subjects: [], logs: [] });
  expect(await audit()).toMatchObject(clean);
});

test('finds and clears references to entities that do not exist', async () => {
  const session = store.session('a');
  const { project } = await fill(session, 2);
  const gone = buildCreate('user', { name: 'u', status: 'active' }, Date.now()).after.entity.id;
  const lost = buildCreate('task', task({ projectId: project, userId: gone, tagIds: [gone] }), Date.now());
  await applyChangeSet(session, { changes: [lost] });
  expect((await audit()).orphans.map(({ field }) => field).sort()).toEqual(['tagIds', 'userId']);
  expect(await audit(true)).toMatchObject({ repaired: 2 });
  expect(await audit()).toMatchObject(clean);
  const { entity } = await readEntity(session, 'task', lost.after.entity.id);
  expect(entity).toMatchObject({ projectId: project, userId: null, tagIds: [] });
});

test('repairs a log before it changes an entity that has the record of a lost change: both make the same version', async () => {
  const session = store.session('a');
  const { project } = await fill(session, 1);
  const user = await createEntity(session, 'user', { name: 'u', status: 'active', organizationId: null });
  const userId = user.entity.id;
  const { entity } = await createEntity(session, 'task', task({ projectId: project, userId }));
  const Key = { ...entityKey('a', 'task', entity.id) };
  const TableName = store.tableName;
  const { Item } = await store.client.send(new GetCommand({ TableName, Key }));
  await updateEntity(session, { kind: 'task', id: entity.id }, { name: 'lost' });
  await store.client.send(new PutCommand({ TableName, Item }));
  await store.client.send(new DeleteCommand({ TableName, Key: { ...entityKey('a', 'user', userId) } }));
  await auditTable(store.client, TableName, { repair: true, pauseMs: 0, marginMs: 0 });
  expect(await audit()).toMatchObject(clean);
  await compactAll(store.database(), 'a', 'task');
  expect(await audit()).toMatchObject(clean);
  expect((await readEntity(session, 'task', entity.id)).entity).toMatchObject({ name: 'x', userId: null });
});

test('clears a reference that the row of an entity does not have', async () => {
  const session = store.session('a');
  const { tasks } = await fill(session, 1);
  const { entity } = tasks[0] as StoredEntity;
  const userId = buildCreate('user', { name: 'u', status: 'active' }, Date.now()).after.entity.id;
  const Item = encodeEntity('a', { kind: 'task', entity: { ...entity, userId }, version: 2 }, Date.now());
  await store.client.send(new PutCommand({ TableName: store.tableName, Item }));
  await auditTable(store.client, store.tableName, { repair: true, pauseMs: 0, marginMs: 0 });
  expect(await audit()).toMatchObject(clean);
  expect((await readEntity(session, 'task', entity.id)).entity).toMatchObject({ userId: null });
});

test('finds an entity whose keys do not match its fields', async () => {
  const { tasks } = await fill(store.session('a'), 1);
  const stored = tasks[0] as StoredEntity;
  const Item = { ...encodeEntity('a', stored, stored.stamp ?? 0), byStatus: 'another' };
  await store.client.send(new PutCommand({ TableName: store.tableName, Item }));
  expect((await audit()).malformed).toEqual([`a#task#${tasks[0]?.entity.id}`]);
});
