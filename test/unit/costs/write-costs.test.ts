import { deleteEntity } from '../../../functions/shared/store/cascades/delete-entity.ts';
import { createEntity } from '../../../functions/shared/store/entities/create-entity.ts';
import { updateEntity } from '../../../functions/shared/store/entities/update-entity.ts';
import { cut } from '../../../functions/shared/store/lists/counted-index/counters.ts';
import type { Fields } from '../../../functions/shared/store/model/entity.ts';
import type { Session } from '../../../functions/shared/store/unit-of-work/session.ts';
import { startTestStore, type TestStore } from '../../support/local-store.ts';
import { makeFarApart } from '../../support/long-listing.ts';

/** What writing costs, as the embedded engine reports it: docs/performance.md publishes these numbers. */

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

const tenant = 'public';

async function costOf(work: (session: Session) => Promise<unknown>) {
  const session = store.session(tenant);
  await work(session);
  const { calls, readUnits, writeUnits } = session.database.consumption;
  return { calls, readUnits, writeUnits };
}

/** An entity of less than 1 KB in a transaction, or a counter: two units (DynamoDB's own rule). */
const inTransaction = 2;
/** The two counters of a listing: of its block, and of its group. */
const listing = 2 * inTransaction;

test('a write costs the entity, its indexes, and two counters for each listing that it touches', async () => {
  const description = 'x'.repeat(100);
  const make = async (kind: 'organization' | 'project' | 'user', fields: object) =>
    (await createEntity(store.session(tenant), kind, { name: 'x', status: 'active', ...fields })).entity.id;
  const organizationId = await make('organization', {});
  const projectId = await make('project', { organizationId });
  const userId = await make('user', { organizationId: null });
  const task: Fields = { name: 'x', status: 'active', description, projectId, userId, tagIds: [] };

  // A task is in three listings and seven indexes.
  let id = '';
  const create = await costOf(async (session) => {
    id = (await createEntity(session, 'task', task)).entity.id;
  });
  expect(create).toEqual({ calls: 5, readUnits: 5, writeUnits: inTransaction + 7 + 3 * listing });

  // Neither status nor parents change: no counter does.
  const rename = await costOf((session) => updateEntity(session, { kind: 'task', id }, { description: 'y' }));
  expect(rename).toMatchObject({ calls: 2, writeUnits: inTransaction + 7 });

  // An index whose key changes is written twice: the old entry goes, the new one comes.
  const close = await costOf((session) => updateEntity(session, { kind: 'task', id }, { status: 'done' }));
  expect(close).toMatchObject({ calls: 5, writeUnits: inTransaction + 7 + 3 + 3 * listing });

  const remove = await costOf((session) => deleteEntity(session, 'task', id));
  expect(remove).toMatchObject({ calls: 5, writeUnits: inTransaction + 7 + 3 * listing });
});

/** What it costs to create an entity, and to change the status of others and delete them. */
async function costsBeside(ids: readonly string[]) {
  const costs = [];
  costs.push(await costOf((session) => createEntity(session, 'tag', { name: 'x', status: 'active' })));
  for (const id of ids) {
    costs.push(await costOf((session) => updateEntity(session, { kind: 'tag', id }, { status: 'archived' })));
    costs.push(await costOf((session) => deleteEntity(session, 'tag', id)));
  }
  return costs;
}

test('a write costs the same in a long listing as in a short one', async () => {
  const make = async () =>
    (await createEntity(store.session(tenant), 'tag', { name: 'x', status: 'active' })).entity.id;
  const inShort = await costsBeside([await make(), await make(), await make()]);

  // As many sections as 9,600 would have, in 15 blocks.
  const ids = await makeFarApart(15 * cut.fullBlock, make);
  const inLong = await costsBeside([ids.at(10) ?? '', ids.at(150) ?? '', ids.at(-10) ?? '']);
  expect(inLong).toEqual(inShort);
});
