/** What requests of callers cost who do not see all, beside those of callers who do, in a process that has read both logs and loaded columns. */

import { applyBatch } from '#functions/engine/batches/apply-batch.ts';
import { deleteEntity } from '#functions/engine/deletions/delete-entity.ts';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { readEntity } from '#functions/engine/entities/read-entity.ts';
import { updateEntity } from '#functions/engine/entities/update-entity.ts';
import { listChanges } from '#functions/engine/feed/list-changes.ts';
import { listDeleted } from '#functions/engine/lists/list-deleted.ts';
import { listEntities } from '#functions/engine/lists/list-entities.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { Sight } from '#functions/engine/table/sight.ts';
import { compactAll } from '#test/support/compaction.ts';
import { isValue, listQuery, sortedBy } from '#test/support/list-queries.ts';
import { startTestStore } from '#test/support/local-store.ts';

const store = startTestStore();
const tenant = 'viewers';

const all = (): Session => store.session(tenant);

function viewer(): Session {
  const { database, ...session } = all();
  const sight = new Sight(tenant, 'ada', database);
  return { ...session, sight, database: database.restricted((items) => sight.filter(items)) };
}

const make = async (kind: string, fields: object): Promise<string> =>
  (await createEntity(all(), kind, { name: 'x', status: 'active', ...fields })).entity.id;

/** Returns the calls and units of an action. */
async function costOf(open: () => Session, act: (session: Session) => Promise<unknown>) {
  const session = open();
  await act(session);
  const { calls, readUnits, writeUnits } = session.database.consumption;
  return [calls, readUnits, writeUnits];
}

let project: string;
let task: string;

const fields = () => ({
  name: 'x',
  description: '',
  priority: 'none',
  tagIds: [],
  parentId: null,
  userId: null,
});

beforeAll(async () => {
  const organizationId = await make('organization', {});
  const user = await make('user', { subject: 'ada' });
  const closed = { organizationId, visibility: 'members', memberIds: [user] };
  project = await make('project', closed);
  for (let number = 0; number < 30; number += 1)
    await make('project', { organizationId, visibility: number % 2 ? 'tenant' : 'members', memberIds: [] });
  task = await make('task', { ...fields(), projectId: project });
  for (let number = 0; number < 60; number += 1) await make('task', { ...fields(), projectId: project });
  await make('task', { ...fields(), projectId: null });
  for (const kind of ['task', 'project', 'user']) await compactAll(store.database(), tenant, kind);
});

const create = { operation: 'create', fields: { status: 'open', organizationId: '' } } as const;

test.each<[string, (session: Session) => Promise<unknown>, readonly number[], readonly number[]]>([
  ['a list of tasks', (session) => listEntities(session, 'task', listQuery()), [1, 1, 0], [3, 3, 0]],
  [
    'a list of tasks in an order',
    (session) => listEntities(session, 'task', listQuery({ sort: sortedBy('name') })),
    ...([
      [1, 1, 0],
      [3, 3, 0],
    ] as const),
  ],
  [
    'a list of the tasks of a project',
    (session) => listEntities(session, 'task', listQuery({ filters: [isValue('projectId', project)] })),
    ...([
      [1, 1, 0],
      [3, 3, 0],
    ] as const),
  ],
  ['a list of projects', (session) => listEntities(session, 'project', listQuery()), [1, 1, 0], [2, 2, 0]],
  ['a list of users', (session) => listEntities(session, 'user', listQuery()), [1, 1, 0], [1, 1, 0]],
  ['a list of deleted tasks', (session) => listDeleted(session, 'task', listQuery()), [1, 1, 0], [3, 3, 0]],
  ['a read of a task', (session) => readEntity(session, 'task', task), [1, 1, 0], [3, 3, 0]],
  ['a read of a project', (session) => readEntity(session, 'project', project), [1, 1, 0], [2, 2, 0]],
  [
    'a read of a user',
    (session) => readEntity(session, 'user', task).catch(() => undefined),
    [1, 1, 0],
    [1, 1, 0],
  ],
])('%s', async (_, act, ofAll, ofViewer) => {
  // The first time loads columns.
  for (const open of [all, viewer]) await costOf(open, act);
  expect([await costOf(all, act), await costOf(viewer, act)]).toEqual([ofAll, ofViewer]);
});

test('a feed that has nothing new, and one with a change', async () => {
  const cursors = await Promise.all(
    [all, viewer].map(async (open) => {
      const page = await listChanges(open(), 'task', listQuery({ limit: 100 }), undefined);
      return (await listChanges(open(), 'task', listQuery({ limit: 100 }), page.cursor)).cursor;
    }),
  );
  const poll = (open: () => Session, place: number) =>
    costOf(open, (session) => listChanges(session, 'task', listQuery(), cursors[place]));
  for (const _ of [1, 2]) await Promise.all([poll(all, 0), poll(viewer, 1)]);
  expect([await poll(all, 0), await poll(viewer, 1)]).toEqual([
    [1, 1, 0],
    [3, 3, 0],
  ]);
  await updateEntity(all(), { kind: 'task', id: task }, { status: 'open' });
  // The project of the task is read by key.
  expect([await poll(all, 0), await poll(viewer, 1)]).toEqual([
    [1, 1, 0],
    [4, 4, 0],
  ]);
});

test.each<[string, (session: Session) => Promise<unknown>, readonly number[], readonly number[]]>([
  [
    'a creation of a task in a project',
    (session) => createEntity(session, 'task', { ...fields(), status: 'open', projectId: project }),
    [4, 1, 8],
    [5, 2, 8],
  ],
  [
    'a creation of a task without a project',
    (session) => createEntity(session, 'task', { ...fields(), status: 'open', projectId: null }),
    [3, 0, 8],
    [3, 0, 8],
  ],
  [
    'a change of a task',
    (session) =>
      updateEntity(session, { kind: 'task', id: task }, { status: `${Math.random()}`.slice(2, 9) }),
    [3, 1, 8],
    [5, 3, 8],
  ],
  [
    'a batch that creates 25 tasks',
    (session) =>
      applyBatch(
        session,
        'task',
        Array.from({ length: 25 }, () => ({
          ...create,
          fields: { ...fields(), status: 'open', projectId: project },
        })),
      ),
    [4, 1, 104],
    [5, 2, 104],
  ],
])('%s', async (_, act, ofAll, ofViewer) => {
  await costOf(all, act);
  const measured = [await costOf(all, act), await costOf(viewer, act)];
  expect(measured).toEqual([ofAll, ofViewer]);
});

test('a deletion of a task', async () => {
  const remove = async (session: Session) =>
    deleteEntity(session, 'task', await make('task', { ...fields(), projectId: project }));
  await costOf(all, remove);
  const [ofAll, ofViewer] = [await costOf(all, remove), await costOf(viewer, remove)];
  expect(ofViewer.map((cost, place) => cost - (ofAll[place] ?? 0))).toEqual([2, 2, 0]);
});
