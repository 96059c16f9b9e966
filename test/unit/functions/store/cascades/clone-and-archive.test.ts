import { randomUUID } from 'node:crypto';
import { archiveStep } from '#functions/store/cascades/archive.ts';
import { cloneProjectWithTasks, cloneStep } from '#functions/store/cascades/clone.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
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
  const jobOf = <Work extends ArchiveWork | CloneWork>(work: Work): Job<Work> => ({
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
    const step = () => cloneStep(session, jobOf({ type: 'clone', from, to, after: '' }));
    expect(await indexesOf(step)).toEqual(new Set([undefined]));
    expect((await step()).once?.changes).toHaveLength(1);
  });

  test('of an archive finds the projects in no index', async () => {
    const organizationId = await make('organization', {});
    await make('project', { organizationId });
    const step = () => archiveStep(session, jobOf({ type: 'archive', id: organizationId, after: '' }));
    expect(await indexesOf(step)).toEqual(new Set([undefined]));
    expect((await step()).repeatable).toHaveLength(1);
  });
});
