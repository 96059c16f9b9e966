import { createEntity } from '#functions/store/entities/create-entity.ts';
import { updateEntity } from '#functions/store/entities/update-entity.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

/** What a long description costs, as the embedded engine reports it. docs/performance.md contains these numbers. */

let store: TestStore;
let parents: { readonly projectId: string; readonly userId: string };

beforeAll(async () => {
  store = await startTestStore();
  const organizationId = await make('organization', {});
  parents = {
    projectId: await make('project', { organizationId }),
    userId: await make('user', { organizationId }),
  };
  // The first write of a kind requests the compaction of its log.
  await make('task', parents);
});

afterAll(() => store.stop());

const make = async (kind: 'organization' | 'project' | 'user' | 'task', fields: object): Promise<string> =>
  (await createEntity(store.session('public'), kind, { name: 'x', status: 'active', ...fields })).entity.id;

async function unitsOf(work: (session: Session) => Promise<unknown>): Promise<number> {
  const session = store.session('public');
  await work(session);
  return session.database.consumption.writeUnits;
}

/** Returns the write units of the operations on a task with a description of a length. */
async function measure(characters: number): Promise<Record<string, number>> {
  const fields = { name: 'x', status: 'active', priority: 'none', ...parents, tagIds: [] };
  const description = 'x'.repeat(characters);
  let id = '';
  const create = await unitsOf(async (session) => {
    id = (await createEntity(session, 'task', { ...fields, description })).entity.id;
  });
  const update = (values: object) =>
    unitsOf((session) => updateEntity(session, { kind: 'task', id }, { ...values }));
  return {
    create,
    status: await update({ status: 'done' }),
    priority: await update({ priority: 'high' }),
    text: await update({ description: 'y'.repeat(characters) }),
  };
}

test('a long description costs one item, which no index has, and is not written again with other fields', async () => {
  const small = await measure(100);
  expect(small).toEqual({ create: 7, status: 8, priority: 7, text: 7 });
  // In the item of the entity.
  expect(await measure(300)).toEqual(small);
  expect(await measure(400)).toEqual(small);
  // Beside it: two write units for each KB of a transaction.
  expect(await measure(500)).toEqual({ ...small, create: 9, text: 9 });
  expect(await measure(5_000)).toEqual({ ...small, create: 17, text: 17 });
  expect(await measure(30_000)).toEqual({ ...small, create: 67, text: 67 });
});
