import { deleteEntity } from '../../../functions/shared/store/cascades/delete-entity.ts';
import { createEntity } from '../../../functions/shared/store/entities/create-entity.ts';
import { updateEntity } from '../../../functions/shared/store/entities/update-entity.ts';
import { cut } from '../../../functions/shared/store/lists/counted-index/counters.ts';
import type { Fields } from '../../../functions/shared/store/model/entity.ts';
import type { Session } from '../../../functions/shared/store/unit-of-work/session.ts';
import { startTestStore, type TestStore } from '../../support/local-store.ts';
import { makeFarApart } from '../../support/long-listing.ts';

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
/** Write units of the two counters of a list: one of a block, one of a group. */
const listing = 2 * inTransaction;
/** Write units of the record in the change log. */
const record = inTransaction;

/** Returns the id of a new tag. */
const makeTag = async (): Promise<string> =>
  (await createEntity(store.session(tenant), 'tag', { name: 'x', status: 'active' })).entity.id;

test('a write costs the entity, its indexes, a record of the log, and two counters for each affected list', async () => {
  const description = 'x'.repeat(100);
  const make = async (kind: 'organization' | 'project' | 'user' | 'task', fields: object) =>
    (await createEntity(store.session(tenant), kind, { name: 'x', status: 'active', ...fields })).entity.id;
  const organizationId = await make('organization', {});
  const projectId = await make('project', { organizationId });
  const userId = await make('user', { organizationId: null });
  const task: Fields = { name: 'x', status: 'active', description, projectId, userId, tagIds: [] };
  // The first write of a kind requests the compaction of its log.
  await make('task', task);

  // A task is in three lists and six indexes.
  let id = '';
  const create = await costOf(async (session) => {
    id = (await createEntity(session, 'task', task)).entity.id;
  });
  expect(create).toEqual({ calls: 5, readUnits: 5, writeUnits: inTransaction + 6 + record + 3 * listing });

  // Without a change of status or parents, no counter changes.
  const rename = await costOf((session) => updateEntity(session, { kind: 'task', id }, { description: 'y' }));
  expect(rename).toEqual({ calls: 2, readUnits: 1, writeUnits: inTransaction + 6 + record });

  // A changed index key costs two writes: one removes the old entry, one adds the new entry.
  const close = await costOf((session) => updateEntity(session, { kind: 'task', id }, { status: 'done' }));
  expect(close).toEqual({ calls: 5, readUnits: 4, writeUnits: inTransaction + 6 + 3 + record + 3 * listing });

  const remove = await costOf((session) => deleteEntity(session, 'task', id));
  expect(remove).toEqual({ calls: 5, readUnits: 4, writeUnits: inTransaction + 6 + record + 3 * listing });
});

test('the first write of a kind in an hour also writes the job that compacts the log, with its index', async () => {
  const create = (session: Session) => createEntity(session, 'tag', { name: 'x', status: 'active' });
  const another = 'another';
  const whole = inTransaction + 2 + record + listing;
  expect(await costOf(create, another)).toEqual({ calls: 4, readUnits: 2, writeUnits: whole + 2 });
  expect(await costOf(create, another)).toEqual({ calls: 2, readUnits: 1, writeUnits: whole });
});

/** Returns the costs of creating an entity, and of updating and deleting others. */
async function costsOfWrites(ids: readonly string[]) {
  const costs = [];
  // The first deletion reads the log of tasks from further back than the others: it does not know the log's watermark.
  await deleteEntity(store.session(tenant), 'tag', await makeTag());
  costs.push(await costOf((session) => createEntity(session, 'tag', { name: 'x', status: 'active' })));
  for (const id of ids) {
    costs.push(await costOf((session) => updateEntity(session, { kind: 'tag', id }, { status: 'archived' })));
    costs.push(await costOf((session) => deleteEntity(session, 'tag', id)));
  }
  return costs;
}

test('a write costs the same in a long list as in a short one', async () => {
  const inShort = await costsOfWrites([await makeTag(), await makeTag(), await makeTag()]);

  // As many sections as a list of 9,600 entities, in 15 blocks.
  const ids = await makeFarApart(15 * cut.fullBlock, makeTag);
  const inLong = await costsOfWrites([ids.at(10) ?? '', ids.at(150) ?? '', ids.at(-10) ?? '']);
  expect(inLong).toEqual(inShort);
});
