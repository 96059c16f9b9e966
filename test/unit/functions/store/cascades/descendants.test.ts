import { randomUUID } from 'node:crypto';
import { findDescendants } from '#functions/store/cascades/descendants.ts';
import { buildCreate, type ChangeSet } from '#functions/store/model/changes.ts';
import type { Deletion } from '#functions/store/model/entity.ts';
import type { Kind } from '#functions/store/model/relations.ts';
import { applyChangeSet } from '#functions/store/unit-of-work/commit.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

/** Returns the deletions of some entities. */
const deletionsOf = (kind: Kind, ids: readonly string[]): ReadonlyMap<string, Deletion> =>
  new Map(ids.map((id) => [id, { deletedAt: 1_770_000_000_000, root: { kind, id } }]));

let store: TestStore;
let session: Session;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

beforeEach(() => {
  session = store.session(randomUUID());
});

async function make(kind: Kind, fields: object = {}): Promise<string> {
  const change = buildCreate(kind, { name: 'x', status: 'open', ...fields }, Date.now());
  await applyChangeSet(session, { changes: [change] });
  return change.after.entity.id;
}

const task = (fields: object): Promise<string> =>
  make('task', { projectId: null, userId: null, tagIds: [], ...fields });

/** Returns what change sets do to each entity, and the deletions whose dependents they leave to a job. */
const summary = (changeSets: readonly ChangeSet[] | undefined) =>
  changeSets?.map(({ changes, writes = [] }) => ({
    changes: changes.map(({ before, after }) => {
      const fields = after &&
        !after.deletion && {
          organizationId: after.entity['organizationId'],
          userId: after.entity['userId'],
          tagIds: after.entity['tagIds'],
        };
      return [before?.kind, before?.entity.id, fields || 'deleted'];
    }),
    jobs: writes.map((write) => ('put' in write ? write.put['work'] : undefined)),
  }));

test('of a task are none', async () => {
  expect(await findDescendants(session, 'task', deletionsOf('task', [await task({})]), 98)).toEqual([]);
});

test('of a project are its tasks, which are deleted', async () => {
  const projectId = await make('project');
  const first = await task({ projectId });
  await task({});
  const second = await task({ projectId });
  expect(summary(await findDescendants(session, 'project', deletionsOf('project', [projectId]), 98))).toEqual(
    [
      { changes: [['task', first, 'deleted']], jobs: [] },
      { changes: [['task', second, 'deleted']], jobs: [] },
    ],
  );
});

test('of a user and of a tag are tasks, which lose the reference', async () => {
  const userId = await make('user', { organizationId: null });
  const tag = await make('tag', { organizationId: null });
  const other = await make('tag', { organizationId: null });
  const id = await task({ userId, tagIds: [other, tag] });
  expect(summary(await findDescendants(session, 'user', deletionsOf('user', [userId]), 98))).toEqual([
    { changes: [['task', id, { userId: null, tagIds: [other, tag] }]], jobs: [] },
  ]);
  expect(summary(await findDescendants(session, 'tag', deletionsOf('tag', [tag]), 98))).toEqual([
    { changes: [['task', id, { userId, tagIds: [other] }]], jobs: [] },
  ]);
});

test('of an organization are its projects and their tasks, and its users and tags, which lose the reference', async () => {
  const organizationId = await make('organization');
  const project = await make('project', { organizationId });
  const user = await make('user', { organizationId });
  const tag = await make('tag', { organizationId });
  const id = await task({ projectId: project, userId: user, tagIds: [tag] });
  expect(
    summary(
      await findDescendants(session, 'organization', deletionsOf('organization', [organizationId]), 98),
    ),
  ).toEqual([
    {
      changes: [['project', project, 'deleted']],
      jobs: [{ type: 'sweep', kind: 'project', id: project, final: true, relation: 0 }],
    },
    { changes: [['task', id, 'deleted']], jobs: [] },
    { changes: [['user', user, { organizationId: null }]], jobs: [] },
    { changes: [['tag', tag, { organizationId: null }]], jobs: [] },
  ]);
});

test('are as many as the limit, or left to the job', async () => {
  const organizationId = await make('organization');
  const project = await make('project', { organizationId });
  for (let number = 0; number < 2; number += 1) await task({ projectId: project });
  await make('user', { organizationId });
  await make('tag', { organizationId });
  const found = (limit: number) =>
    findDescendants(session, 'organization', deletionsOf('organization', [organizationId]), limit);
  expect(await found(5)).toHaveLength(5);
  for (let limit = 0; limit < 5; limit += 1) expect([limit, await found(limit)]).toEqual([limit, undefined]);
});

test('belong to the deletion of the entity that they descend from', async () => {
  const organizations = [await make('organization'), await make('organization')];
  const projects: string[] = [];
  for (const organizationId of organizations) projects.push(await make('project', { organizationId }));
  const tasks: string[] = [];
  for (const projectId of projects) tasks.push(await task({ projectId }));
  const found = await findDescendants(
    session,
    'organization',
    deletionsOf('organization', organizations),
    98,
  );
  const roots = new Map(
    found?.flatMap(({ changes }) => changes.map(({ after }) => [after?.entity.id, after?.deletion?.root.id])),
  );
  for (const [position, organization] of organizations.entries())
    for (const ids of [projects, tasks]) expect(roots.get(ids[position])).toBe(organization);
});
