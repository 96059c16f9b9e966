import { deleteEntity } from '#functions/store/cascades/delete-entity.ts';
import { restoreEntity } from '#functions/store/cascades/restore.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { updateEntity } from '#functions/store/entities/update-entity.ts';
import type { Fields } from '#functions/store/model/entity.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

/** The capacity units of writes, as the embedded engine reports them. docs/performance.md contains these numbers. */

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

const tenant = 'public';

async function costOf(work: (session: Session) => Promise<unknown>, owner = tenant) {
  const session = store.session(owner);
  await work(session);
  const { calls, readUnits, writeUnits } = session.database.consumption;
  return { calls, readUnits, writeUnits };
}

/** Write units of an item of up to 1 KB in a transaction (DynamoDB pricing). */
const inTransaction = 2;
const record = inTransaction;

test('a write costs the entity, its indexes, and a record of the log', async () => {
  const description = 'x'.repeat(100);
  const make = async (kind: 'organization' | 'project' | 'user' | 'task', fields: object) =>
    (await createEntity(store.session(tenant), kind, { name: 'x', status: 'active', ...fields })).entity.id;
  const organizationId = await make('organization', {});
  const projectId = await make('project', { organizationId });
  const userId = await make('user', { organizationId: null });
  const task: Fields = { name: 'x', status: 'active', description, projectId, userId, tagIds: [] };
  // The first write of a kind requests the compaction of its log.
  await make('task', task);

  // A task with a project is in three indexes.
  let id = '';
  const create = await costOf(async (session) => {
    id = (await createEntity(session, 'task', task)).entity.id;
  });
  expect(create).toEqual({ calls: 2, readUnits: 2, writeUnits: inTransaction + 3 + record });

  const rename = await costOf((session) => updateEntity(session, { kind: 'task', id }, { description: 'y' }));
  expect(rename).toEqual({ calls: 2, readUnits: 1, writeUnits: inTransaction + 3 + record });

  // A move by drag and drop costs what any other change costs.
  const move = await costOf((session) => updateEntity(session, { kind: 'task', id }, { position: 'a0V' }));
  expect(move).toEqual(rename);

  // A changed index key costs two writes: one removes the old entry, one adds the new entry. The status is in one index.
  const close = await costOf((session) => updateEntity(session, { kind: 'task', id }, { status: 'done' }));
  expect(close).toEqual({ calls: 2, readUnits: 1, writeUnits: inTransaction + 3 + 1 + record });

  const remove = await costOf((session) => deleteEntity(session, 'task', id));
  // The deleted entity goes from three indexes, and into the partition of deleted ones of one of them.
  expect(remove).toEqual({ calls: 2, readUnits: 1, writeUnits: inTransaction + 3 + 1 + record });

  const restore = await costOf((session) => restoreEntity(session, 'task', id));
  expect(restore).toEqual({ calls: 3, readUnits: 3, writeUnits: inTransaction + 3 + 1 + record });
});

test('the first write of a kind in an hour also writes the job that compacts the log, with its index', async () => {
  const create = (session: Session) => createEntity(session, 'tag', { name: 'x', status: 'active' });
  const another = 'another';
  const whole = inTransaction + 2 + record;
  expect(await costOf(create, another)).toEqual({ calls: 3, readUnits: 1, writeUnits: whole + 2 });
  expect(await costOf(create, another)).toEqual({ calls: 1, readUnits: 0, writeUnits: whole });
});

test('a subject costs one item when it is given, and another one when it changes; other changes of the user cost nothing more', async () => {
  const fields: Fields = { name: 'x', status: 'active', organizationId: null };
  await createEntity(store.session(tenant), 'user', fields);
  const plain = await createEntity(store.session(tenant), 'user', { ...fields, subject: null });
  let id = '';
  const create = await costOf(async (session) => {
    id = (await createEntity(session, 'user', { ...fields, subject: 'one' })).entity.id;
  });
  // The read of the item of the subject tells whether another user has it.
  expect(create).toEqual({ calls: 2, readUnits: 1, writeUnits: inTransaction + 2 + inTransaction + record });

  const renameOf = (of: string) =>
    costOf((session) => updateEntity(session, { kind: 'user', id: of }, { name: 'y', organizationId: null }));
  expect(await renameOf(id)).toEqual(await renameOf(plain.entity.id));

  const change = await costOf((session) => updateEntity(session, { kind: 'user', id }, { subject: 'two' }));
  expect(change).toEqual({
    calls: 3,
    readUnits: 2,
    writeUnits: inTransaction + 2 + 2 * inTransaction + record,
  });

  const removal = await costOf((session) => deleteEntity(session, 'user', id));
  const plainRemoval = await costOf((session) => deleteEntity(session, 'user', plain.entity.id));
  expect(removal.writeUnits - plainRemoval.writeUnits).toBe(inTransaction);
});
