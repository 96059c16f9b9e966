import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { archiveStep } from '#functions/store/cascades/archive.ts';
import { cloneProjectWithTasks, cloneStep } from '#functions/store/cascades/clone.ts';
import { deleteEntity } from '#functions/store/cascades/delete-entity.ts';
import { restoreEntity } from '#functions/store/cascades/restore.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { updateEntity } from '#functions/store/entities/update-entity.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { buildUpdate } from '#functions/store/model/changes.ts';
import { newId } from '#functions/store/model/ids.ts';
import { decodeEntity } from '#functions/store/model/item-codec.ts';
import type { ArchiveWork, CloneWork, Job } from '#functions/store/model/job.ts';
import { entityKey, textSortKey } from '#functions/store/model/keys.ts';
import { applyChangeSet } from '#functions/store/unit-of-work/commit.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { isValue, listQuery } from '#test/support/list-queries.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

let store: TestStore;
let session: Session;

beforeAll(async () => {
  store = await startTestStore();
  session = store.session(randomUUID());
});

afterAll(() => store.stop());

const make = async (kind: 'organization' | 'project' | 'task', fields: object): Promise<string> =>
  (await createEntity(session, kind, { name: 'x', status: 'active', ...fields })).entity.id;

test('a task that moves to another project while its long text is read is not copied', async () => {
  const organizationId = await make('organization', {});
  const [project, other] = [
    await make('project', { organizationId }),
    await make('project', { organizationId }),
  ];
  const task = { userId: null, tagIds: [], priority: 'none', dueDate: null, projectId: project };
  const moving = await make('task', { ...task, description: 'a'.repeat(500) });
  await make('task', { ...task, name: 'stays', description: 'b'.repeat(500) });
  const { getMany } = session.database;
  let isMoved = false;
  jest.spyOn(session.database, 'getMany').mockImplementation(async (...request) => {
    const [keys] = request;
    // The page is read: now its long texts.
    if (!isMoved && keys.some(({ sk }) => sk === textSortKey)) {
      isMoved = true;
      const item = await store.database().get(entityKey(session.tenant, 'task', moving));
      const before = decodeEntity(item as NonNullable<typeof item>);
      const change = buildUpdate(before, { projectId: other, description: 'c'.repeat(500) }, Date.now());
      await applyChangeSet(store.session(session.tenant), { changes: [change] });
    }
    return getMany.apply(session.database, request);
  });
  const { entity } = await cloneProjectWithTasks(session, project, undefined, { includesTasks: true });
  jest.restoreAllMocks();
  expect(isMoved).toBe(true);
  const copies = await listEntities(
    session,
    'task',
    listQuery({ filters: [isValue('projectId', entity.id)] }),
  );
  expect(copies.entities.map(({ name }) => name)).toEqual(['stays']);
});

describe('the job', () => {
  const jobOf = <Work extends ArchiveWork | CloneWork>(work: Readonly<Work>): Job<Work> => ({
    id: newId(Date.now()).id,
    tenant: session.tenant,
    version: 1,
    dueAt: '1970-01-01T00:00:00.000Z',
    work,
  });

  afterEach(() => jest.restoreAllMocks());

  /** Returns the indexes that a step queries. An index can lack what was written a moment before. */
  async function indexesOf(step: () => Promise<unknown>): Promise<Set<string | undefined>> {
    const query = jest.spyOn(session.database, 'query');
    await step();
    return new Set(query.mock.calls.map(([{ IndexName }]) => IndexName));
  }

  test('of a clone finds the tasks in no index', async () => {
    const organizationId = await make('organization', {});
    const from = await make('project', { organizationId });
    const to = await make('project', { organizationId });
    await make('task', { userId: null, tagIds: [], projectId: from });
    // The clock of the process that made the task can be ahead of that of the job.
    const asOf = Date.now() - 1_000;
    const step = () => cloneStep(session, jobOf({ type: 'clone', from, to, asOf, after: '' }));
    expect(await indexesOf(step)).toEqual(new Set([undefined]));
    expect((await step()).once?.changes).toHaveLength(1);
  });

  describe('after entities with earlier ids came', () => {
    const ownId = (agoMs: number): string => uuidv7({ msecs: Date.now() - agoMs });
    const fields = { name: 'x', status: 'active', userId: null, tagIds: [] };
    const hour = 3_600_000;

    test('of a clone copies the tasks that were there, changed or not', async () => {
      const organizationId = await make('organization', {});
      const from = await make('project', { organizationId });
      const to = await make('project', { organizationId });
      const begun = Date.now();
      const make_ = (name: string, agoMs: number) =>
        createEntity(session, 'task', { ...fields, name, projectId: from }, ownId(agoMs));
      await make_('before', 3 * hour);
      const changed = await make_('before and changed', 2 * hour);
      const restored = await make_('restored', hour);
      await deleteEntity(session, 'task', restored.entity.id);
      jest.spyOn(Date, 'now').mockReturnValue(begun + 60_000);
      await updateEntity(session, { kind: 'task', id: changed.entity.id }, { status: 'done' });
      await restoreEntity(session, 'task', restored.entity.id);
      await make_('later', 4 * hour);
      const late = await make_('later and changed', 5 * hour);
      await updateEntity(session, { kind: 'task', id: late.entity.id }, { status: 'done' });
      const work = { type: 'clone', from, to, asOf: begun + 10_000, after: '' } as const;
      const { once } = await cloneStep(session, jobOf(work));
      expect(once?.changes.map(({ after }) => after?.entity.name)).toEqual(['before', 'before and changed']);
    });

    test('of an archive leaves the projects that came later', async () => {
      const organizationId = await make('organization', {});
      const begun = Date.now();
      const before = await createEntity(session, 'project', { ...fields, organizationId }, ownId(hour));
      jest.spyOn(Date, 'now').mockReturnValue(begun + 60_000);
      await createEntity(session, 'project', { ...fields, organizationId }, ownId(2 * hour));
      const work = { type: 'archive', id: organizationId, asOf: begun + 10_000, after: '' } as const;
      const { repeatable } = await archiveStep(session, jobOf(work));
      expect(repeatable?.map(({ changes }) => changes[0]?.after?.entity.id)).toEqual([before.entity.id]);
    });
  });

  test('of an archive finds the projects in no index', async () => {
    const organizationId = await make('organization', {});
    await make('project', { organizationId });
    const step = () =>
      archiveStep(session, jobOf({ type: 'archive', id: organizationId, asOf: Date.now(), after: '' }));
    expect(await indexesOf(step)).toEqual(new Set([undefined]));
    expect((await step()).repeatable).toHaveLength(1);
  });
});
