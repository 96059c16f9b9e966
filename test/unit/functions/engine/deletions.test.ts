/** Deletions, restores, clones and steps of jobs, called directly: late, twice, or between each other. */
import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { applyBatch } from '#functions/engine/batches/apply-batch.ts';
import { openLog } from '#functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { purge } from '#functions/engine/columns/compact/purge.ts';
import { defaultSizes } from '#functions/engine/columns/compact/sizes.ts';
import { rangeQuery } from '#functions/engine/columns/dynamodb-storage.ts';
import { emptyManifest } from '#functions/engine/columns/format/manifest.ts';
import { ProcessMemory } from '#functions/engine/columns/process-memory.ts';
import { ColumnReader } from '#functions/engine/columns/read/column-reader.ts';
import { deleteEntity } from '#functions/engine/deletions/delete-entity.ts';
import { eraseDeleted } from '#functions/engine/deletions/erase-deleted.ts';
import { firstMembers, readMembers } from '#functions/engine/deletions/members.ts';
import { type RestoreWork, restore, restoreEntity } from '#functions/engine/deletions/restore.ts';
import { beginSweep, sweepLater, sweepStep } from '#functions/engine/deletions/sweep.ts';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { readEntity, readEntityItem } from '#functions/engine/entities/read-entity.ts';
import { updateEntity } from '#functions/engine/entities/update-entity.ts';
import { listChanges } from '#functions/engine/feed/list-changes.ts';
import { listHistory } from '#functions/engine/feed/list-history.ts';
import { readSequencer } from '#functions/engine/feed/read-log.ts';
import { readChildIds, readChildren } from '#functions/engine/lists/children.ts';
import { readDeletedBy } from '#functions/engine/lists/deleted-by.ts';
import { listDeleted } from '#functions/engine/lists/list-deleted.ts';
import { listEntities } from '#functions/engine/lists/list-entities.ts';
import {
  buildCreate,
  buildDeletion,
  buildMove,
  buildRestore,
  buildUpdate,
} from '#functions/engine/model/changes.ts';
import { expiryOf, newDeletion } from '#functions/engine/model/deletion.ts';
import type { DeletedEntity, Deletion, ItemFields, StoredEntity } from '#functions/engine/model/entity.ts';
import {
  ConditionFailed,
  EntityNotFound,
  RestoreInProgress,
  StoreUnavailable,
} from '#functions/engine/model/errors.ts';
import { newId } from '#functions/engine/model/ids.ts';
import { decodeAnyEntity } from '#functions/engine/model/item-codec.ts';
import { buildJobWrite, decodeJob, dueJobsOf, type Job } from '#functions/engine/model/job.ts';
import { entityKey, textKey, textSortKey } from '#functions/engine/model/keys.ts';
import { relationOf } from '#functions/engine/model/relations.ts';
import type { Item, Key } from '#functions/engine/model/writes.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { applyChangeSet, applyInBatches } from '#functions/engine/write/commit.ts';
import type { CloudEvent } from '#functions/jobs/cloud-events.ts';
import { continueJob } from '#functions/jobs/continue-job.ts';
import { publishItems } from '#functions/jobs/publish-records.ts';
import { clone, cloneProjectWithTasks } from '#functions/projects/clone.ts';
import type { Kind } from '#functions/schema.ts';
import { compactAll } from '#test/support/compaction.ts';
import { isValue, listQuery, sortedBy } from '#test/support/list-queries.ts';
import { startTestStore } from '#test/support/local-store.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const longText = 'x'.repeat(500);

const store = startTestStore();
let session: Session;

beforeEach(() => {
  session = store.session(randomUUID());
});

afterEach(() => {
  jest.restoreAllMocks();
});

const fresh = (): Session => store.session(session.tenant);

/** Moves the clock of the service on. */
function pass(ms: number): void {
  const now = Date.now() + ms;
  jest.spyOn(Date, 'now').mockReturnValue(now);
}

const taskFields = { name: 'x', status: 'open', projectId: null, userId: null, tagIds: [] };

async function make(kind: Kind, fields: object = {}, ownId?: string): Promise<string> {
  const parent = kind === 'project' ? { organizationId: null } : {};
  const own = kind === 'task' ? taskFields : { name: 'x', status: 'open', ...parent };
  return (await createEntity(fresh(), kind, { ...own, ...fields }, ownId)).entity.id;
}

/** Creates tasks as requests do that still saw their parents. Returns their ids in the order of creation. */
async function makeTasks(count: number, fields: object): Promise<string[]> {
  const changes = Array.from({ length: count }, () =>
    buildCreate('task', { ...taskFields, ...fields }, Date.now()),
  );
  await applyInBatches(
    fresh(),
    changes.map((change) => ({ changes: [change] })),
    90,
  );
  return changes.map(({ after }) => after.entity.id);
}

const jobOf = <Work extends object>(work: Work) => ({
  id: '1',
  tenant: session.tenant,
  version: 1,
  dueAt: '1970-01-01T00:00:00.000Z',
  work,
});

async function jobs(): Promise<Job[]> {
  const { items } = await session.database.query(dueJobsOf(session.tenant, Date.parse('3000-01-01')));
  return items.map(decodeJob);
}

/** Continues all jobs that are due. */
async function runJobs(milliseconds?: number): Promise<void> {
  for (const { id, tenant } of await jobs())
    await continueJob(store.database(milliseconds), { id, tenant }, { owner: randomUUID() }).catch(
      (error: unknown) => {
        if (!(error instanceof StoreUnavailable)) throw error;
      },
    );
}

/** Runs all jobs to their end. */
async function finishJobs(): Promise<void> {
  for (let round = 0; round < 8 && (await jobs()).length > 0; round += 1) {
    await runJobs();
    pass(63_000);
  }
  expect(await jobs()).toEqual([]);
}

const total = async (projectId: string): Promise<number> =>
  (await listEntities(fresh(), 'task', listQuery({ filters: [isValue('projectId', projectId)] }))).total;

const deletedOnes = async (kind: Kind): Promise<readonly ItemFields[]> =>
  (await listDeleted(fresh(), kind, listQuery({ sort: sortedBy('deletedAt', 'desc'), limit: 100 }))).entities;

const deletedIds = async (kind: Kind) => (await deletedOnes(kind)).map(({ id }) => id);

/** Deletes an entity alone, as a step of a deletion that leaves what belongs to it to the job. */
async function deleteAlone(stored: StoredEntity, deletion?: Deletion): Promise<Deletion> {
  const own = deletion ?? newDeletion(stored, undefined, Date.now());
  const job = beginSweep(session, stored.kind, [stored.entity.id], newId(Date.now()));
  await applyChangeSet(fresh(), { changes: [buildDeletion(stored, own)], writes: deletion ? [] : [job] });
  return own;
}

const stored = (kind: Kind, id: string) => readEntityItem(fresh(), kind, id);

async function storedDeleted(kind: Kind, id: string): Promise<DeletedEntity> {
  const item = await session.database.get(entityKey(session.tenant, kind, id), { withDeleted: true });
  return decodeAnyEntity(item as Item) as DeletedEntity;
}

describe('sweep', () => {
  const sweepOf = (id: string) =>
    jobOf({
      type: 'sweep',
      kind: 'project',
      ids: [id],
      isFirst: true,
      hasFound: false,
      position: 0,
      after: '',
    } as const);

  test('a deletion with all its children leaves the next pass, after the request and those that saw the parent', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-02-03T04:05:06.789Z'));
    const one = { kind: 'project', entity: { id: 'one' } } as StoredEntity;
    const other = { kind: 'task', entity: { id: 'other' } } as StoredEntity;
    expect(sweepLater({ tenant: 'acme' }, [one, other])).toMatchObject([
      { put: { work: { ids: ['one'], isFirst: false }, dueAt: '2026-02-03T04:06:08.789Z' } },
      { put: { work: { ids: ['other'], isFirst: false }, dueAt: '2026-02-03T04:06:08.789Z' } },
    ]);
  });

  test('changes 100 tasks of a project in each step', async () => {
    const parent = await make('project');
    const ids = await makeTasks(120, { projectId: parent });
    await deleteAlone(await stored('project', parent));
    const changed: (string | undefined)[][] = [];
    for (const _ of [1, 2]) {
      const { repeatable = [], left } = await sweepStep(session, sweepOf(parent));
      expect(left).toMatchObject({ position: 0, hasFound: true });
      // A batch read returns items in any order.
      changed.push(repeatable.map(({ changes }) => changes[0]?.before?.entity.id).sort());
      await applyInBatches(fresh(), repeatable, 25);
    }
    expect(changed).toEqual([ids.slice(0, 100), ids.slice(100)]);
  });

  test('deletes children as a part of the deletion of their parent, and ends when the parent was restored', async () => {
    const project = await make('project');
    const [id] = await makeTasks(1, { projectId: project });
    const deletion = await deleteAlone(await stored('project', project));
    const { repeatable = [] } = await sweepStep(session, sweepOf(project));
    expect(repeatable.flatMap(({ changes }) => changes)).toMatchObject([
      { after: { entity: { id }, deletion } },
    ]);
    await restoreEntity(fresh(), 'project', project);
    expect(await sweepStep(session, sweepOf(project))).toEqual({ left: undefined });
  });
});

describe('readChildren', () => {
  const relation = relationOf('task', 'project');
  let parent: string;

  beforeEach(async () => {
    parent = await make('project');
  });

  const read = async (range: Parameters<typeof readChildren>[3]) => {
    const { children, next, total } = await readChildren(session, relation, [parent], range);
    return { ids: children.map(({ entity }) => entity.id), next, total };
  };

  test('returns the children page by page', async () => {
    const ids = await makeTasks(5, { projectId: parent });
    const [, second = '', , fourth = ''] = ids;
    expect(await read({ limit: 2 })).toEqual({ ids: ids.slice(0, 2), next: second, total: 5 });
    expect(await read({ limit: 2, after: second })).toEqual({ ids: ids.slice(2, 4), next: fourth, total: 3 });
    expect(await read({ limit: 2, after: fourth })).toEqual({ ids: ids.slice(4), next: undefined, total: 1 });
  });

  test('throws StoreUnavailable when all children of a page are deleted while it is read', async () => {
    await makeTasks(3, { projectId: parent });
    jest.spyOn(session.database, 'getMany').mockResolvedValue([]);
    await expect(read({ limit: 2 })).rejects.toThrow(StoreUnavailable);
  });

  test('leaves out a child that moves each time that it is read, and the next page begins after it', async () => {
    const [first, second = '', third] = await makeTasks(3, { projectId: parent });
    const { getMany } = session.database;
    let moves = 0;
    jest.spyOn(session.database, 'getMany').mockImplementation(async (...request) => {
      const items = await getMany.apply(session.database, request);
      moves += 1;
      return items.map((item) =>
        item['id'] === second ? { ...item, version: 1 + moves, projectId: randomUUID() } : item,
      );
    });
    expect(await read({ limit: 2 })).toMatchObject({ ids: [first], next: second });
    expect(await read({ after: second })).toMatchObject({ ids: [third] });
  });
});

describe('a clone', () => {
  test('has no copy of a task that moves to another project while its long text is read', async () => {
    const [project, other] = [await make('project'), await make('project')];
    const moving = await make('task', { projectId: project, description: longText });
    await make('task', { projectId: project, name: 'stays', description: longText });
    const { getMany } = session.database;
    let isMoved = false;
    jest.spyOn(session.database, 'getMany').mockImplementation(async (...request) => {
      // The page is read: now its long texts.
      if (!isMoved && request[0].some(({ sk }) => sk === textSortKey)) {
        isMoved = true;
        const more = { projectId: other, description: 'c'.repeat(500) };
        const change = buildUpdate(await stored('task', moving), more, Date.now());
        await applyChangeSet(fresh(), { changes: [change] });
      }
      return getMany.apply(session.database, request);
    });
    const { entity } = await cloneProjectWithTasks(session, project, undefined, { includesTasks: true });
    expect(isMoved).toBe(true);
    const filters = [isValue('projectId', entity.id)];
    const copies = await listEntities(fresh(), 'task', listQuery({ filters }));
    expect(copies.entities.map(({ name }) => name)).toEqual(['stays']);
  });

  test('has no copy of a sub-task of a task whose copy was deleted', async () => {
    const [from, to] = [await make('project'), await make('project')];
    const [parent, copy] = [await make('task', { projectId: from }), await make('task', { projectId: to })];
    await make('task', { projectId: from, parentId: parent });
    const path = [{ copies: { [parent]: copy }, after: '' }];
    const work = { type: 'clone', from, to, asOf: await readSequencer(session, 'task'), path } as const;
    expect((await clone.step(session, jobOf(work))).once?.changes).toHaveLength(1);
    await deleteEntity(fresh(), 'task', copy);
    expect((await clone.step(fresh(), jobOf(work))).once?.changes).toEqual([]);
    // Until nobody can restore the clone.
    await deleteEntity(fresh(), 'project', to);
    expect(await clone.step(fresh(), jobOf(work))).toEqual({ left: work, dueAt: expect.any(String) });
    await eraseDeleted(fresh(), 'project', to);
    expect(await clone.step(fresh(), jobOf(work))).toEqual({ left: undefined });
  });

  test('has nothing that is kept of references', async () => {
    const [project, parentId] = [await make('project'), await make('task')];
    const task = await make('task', { projectId: project, parentId });
    await deleteEntity(fresh(), 'task', parentId);
    await restoreEntity(fresh(), 'task', task);
    const { entity } = await cloneProjectWithTasks(session, project, undefined, { includesTasks: true });
    await restoreEntity(fresh(), 'task', parentId);
    const copies = await listEntities(
      fresh(),
      'task',
      listQuery({ filters: [isValue('projectId', entity.id)] }),
    );
    expect(copies.entities).toMatchObject([{ parentId: null }]);
  });

  test('has a new number for each task that a step of its job copies', async () => {
    const [from, to] = [await make('project'), await make('project')];
    for (let count = 0; count < 2; count += 1) await make('task', { projectId: from });
    const work = { type: 'clone', from, to, asOf: await readSequencer(session, 'task') } as const;
    const { once } = await clone.step(session, jobOf({ ...work, path: [{ after: '' }] }));
    expect(once?.changes.map(({ after }) => after?.entity['number'])).toEqual([3, 4]);
  });

  test('has a copy of a task whose parent was deleted before', async () => {
    const [from, to] = [await make('project'), await make('project')];
    const parentId = await make('task', { projectId: from });
    await make('task', { projectId: from, parentId });
    await deleteAlone(await stored('task', parentId));
    const work = { type: 'clone', from, to, asOf: await readSequencer(session, 'task') } as const;
    const { once } = await clone.step(session, jobOf({ ...work, path: [{ after: '' }] }));
    expect(once?.changes).toMatchObject([{ after: { entity: { parentId: null } } }]);
  });

  test('finds in no index the tasks that were there, changed or not, also those with later ids and without those with earlier ids', async () => {
    const [from, to] = [await make('project'), await make('project')];
    const begun = Date.now();
    const makeTask = (name: string, hours: number) =>
      make('task', { name, projectId: from }, uuidv7({ msecs: begun - hours * hourMs }));
    await makeTask('before', 3);
    const changed = await makeTask('before and changed', 2);
    const restored = await makeTask('restored', 1);
    await deleteEntity(fresh(), 'task', restored);
    const asOf = await readSequencer(session, 'task');
    await updateEntity(fresh(), { kind: 'task', id: changed }, { status: 'done' });
    await restoreEntity(fresh(), 'task', restored);
    await makeTask('later', 4);
    const late = await makeTask('later and changed', 5);
    await updateEntity(fresh(), { kind: 'task', id: late }, { status: 'done' });
    const query = jest.spyOn(session.database, 'query');
    const work = { type: 'clone', from, to, asOf, path: [{ after: '' }] } as const;
    const { once } = await clone.step(session, jobOf(work));
    const names = once?.changes.map(({ after }) => after?.entity.name);
    expect(names).toEqual(['before', 'before and changed']);
    expect(query.mock.calls.flatMap(([{ IndexName }]) => IndexName ?? [])).toEqual([]);
  });
});

describe('continueJob', () => {
  test('completes a deletion that outgrows a transaction in steps that time out', async () => {
    const project = await make('project');
    await makeTasks(260, { projectId: project });
    await deleteEntity(fresh(), 'project', project);
    expect(await total(project)).toBe(260);
    let steps = 0;
    // A little more than the minimum time of a turn, so that each step makes one or two turns.
    for (; steps < 10 && (await total(project)) > 0; steps += 1) await runJobs(1_015);
    expect(steps).toBeGreaterThan(1);
    expect(await total(project)).toBe(0);
  });

  /** An organization with more tasks, in one project, than fit in a transaction, and an empty project. */
  async function makeOrganization(tasks: number): Promise<[string, string, string]> {
    const organization = await make('organization');
    const projects = [
      await make('project', { organizationId: organization }),
      await make('project', { organizationId: organization }),
    ] as const;
    await makeTasks(tasks, { projectId: projects[0] });
    return [organization, ...projects];
  }

  test.each([2, 120])(
    'deletes the children of requests that still saw what one deletion with %i tasks has removed, and theirs, and ends then',
    async (tasks) => {
      const [organization, project, empty] = await makeOrganization(tasks);
      await deleteEntity(fresh(), 'organization', organization);
      expect(await jobs()).toHaveLength(1);
      await runJobs();
      const [late = ''] = await makeTasks(1, { projectId: empty });
      await makeTasks(1, { projectId: project });
      const another = await stored('project', await make('project'));
      const moved = buildUpdate(another, { organizationId: organization }, Date.now());
      await applyChangeSet(fresh(), { changes: [moved] });
      pass(63_000);
      await runJobs();
      expect([await total(project), await total(empty)]).toEqual([0, 0]);
      expect(await deletedIds('project')).toContain(another.entity.id);
      // A request that saw the late project.
      await makeTasks(1, { projectId: another.entity.id });
      await finishJobs();
      expect(await total(another.entity.id)).toBe(0);
      const deleted = await deletedOnes('task');
      expect(deleted.find(({ id }) => id === late)?.['deletedWith']).toBe(organization);
    },
  );

  test('deletes the late children of what an operator erases', async () => {
    const [organization, project, empty] = await makeOrganization(120);
    await deleteEntity(fresh(), 'organization', organization);
    await eraseDeleted(fresh(), 'organization', organization);
    await runJobs();
    await makeTasks(1, { projectId: empty });
    await finishJobs();
    expect([await total(project), await total(empty)]).toEqual([0, 0]);
    const [other, , own] = await makeOrganization(2);
    await deleteEntity(fresh(), 'organization', other);
    await eraseDeleted(fresh(), 'organization', other);
    await makeTasks(1, { projectId: own });
    await finishJobs();
    expect(await total(own)).toBe(0);
  });

  test('deletes the late children of what goes with a later deletion', async () => {
    const [organization, , empty] = await makeOrganization(120);
    await deleteEntity(fresh(), 'organization', organization);
    await finishJobs();
    await restoreEntity(fresh(), 'organization', organization);
    const [restore] = await jobs();
    await deleteEntity(fresh(), 'organization', organization);
    const [, sweep] = await jobs();
    for (let round = 0; round < 3; round += 1) {
      await continueJob(store.database(), sweep as Job, { owner: randomUUID() });
      pass(63_000);
    }
    expect(await jobs()).toMatchObject([{ id: restore?.id }]);
    await makeTasks(1, { projectId: empty });
    await finishJobs();
    expect(await total(empty)).toBe(0);
  });

  test('one job deletes the children of all entities of a batch, and each of these comes back alone', async () => {
    const projects = [await make('project'), await make('project'), await make('project')] as const;
    for (const projectId of projects) await makeTasks(60, { projectId });
    const operations = projects.map((id) => ({ operation: 'delete', id, expected: undefined }) as const);
    await applyBatch(fresh(), 'project', operations);
    expect(await jobs()).toHaveLength(1);
    await restoreEntity(fresh(), 'project', projects[1]);
    await finishJobs();
    expect(await Promise.all(projects.map(total))).toEqual([0, 60, 0]);
    await restoreEntity(fresh(), 'project', projects[2]);
    await finishJobs();
    expect(await Promise.all(projects.map(total))).toEqual([0, 60, 60]);
  });
});

test.each([
  [2, 0],
  [3, 1],
])('a deletion whose task changes during %i attempts leaves %i task to the job', async (changes, left) => {
  const project = await make('project');
  const task = await make('task', { projectId: project });
  const own = fresh();
  const { transact } = own.database;
  let attempts = 0;
  jest.spyOn(own.database, 'transact').mockImplementation(async (...request) => {
    attempts += 1;
    if (attempts <= changes)
      await updateEntity(fresh(), { kind: 'task', id: task }, { name: String(attempts) });
    return transact.apply(own.database, request);
  });
  await deleteEntity(own, 'project', project);
  expect([attempts, await total(project)]).toEqual([changes + 1, left]);
});

describe('restoreEntity', () => {
  test('brings back in a second pass what a step of the deletion removes during the restore', async () => {
    const project = await make('project');
    const task = await make('task', { projectId: project });
    const deletion = await deleteAlone(await stored('project', project));
    await restoreEntity(fresh(), 'project', project);
    await deleteAlone(await stored('task', task), deletion);
    await expect(readEntity(fresh(), 'task', task)).rejects.toThrow(EntityNotFound);
    await finishJobs();
    expect((await readEntity(fresh(), 'task', task)).entity['projectId']).toBe(project);
  });

  test('looks again later when its first pass finds nothing, because an index can lag behind', async () => {
    const project = await make('project');
    const task = await make('task', { projectId: project });
    await deleteEntity(fresh(), 'project', project);
    const { deletion } = await storedDeleted('project', project);
    await restoreEntity(fresh(), 'project', project);
    const [job] = await jobs();
    const work = { ...(job as Job).work, final: false };
    const due = {
      ...(job as Job),
      version: (job?.version ?? 0) + 1,
      dueAt: new Date(Date.now() - 1).toISOString(),
      work,
    };
    await session.database.transact([buildJobWrite(job as Job, due)]);
    await runJobs();
    // It appears in the index now.
    await deleteAlone(await stored('task', task), deletion);
    await finishJobs();
    expect(await total(project)).toBe(1);
  });

  test('brings back by itself what a step of the deletion of its parent removes during the restore', async () => {
    const organization = await make('organization');
    const project = await make('project', { organizationId: organization });
    const task = await make('task', { projectId: project });
    const deletion = await deleteAlone(await stored('organization', organization));
    await restoreEntity(fresh(), 'organization', organization);
    await deleteAlone(await stored('project', project), deletion);
    await deleteAlone(await stored('task', task), deletion);
    // Its project comes back later.
    expect((await restoreEntity(fresh(), 'task', task)).entity['projectId']).toBe(null);
    expect((await restoreEntity(fresh(), 'project', project)).entity.id).toBe(project);
    await finishJobs();
    expect((await readEntity(fresh(), 'task', task)).entity['projectId']).toBe(project);
  });

  test('brings back what an earlier restore has not brought back yet before another deletion', async () => {
    const project = await make('project');
    await makeTasks(60, { projectId: project });
    await deleteEntity(fresh(), 'project', project);
    await restoreEntity(fresh(), 'project', project);
    // The job of the restore has done nothing yet.
    expect(await total(project)).toBe(0);
    await deleteEntity(fresh(), 'project', project);
    // Also the job of the restore ends. Nothing but the second restore brings back what is left.
    await finishJobs();
    expect(await total(project)).toBe(0);
    await restoreEntity(fresh(), 'project', project);
    await finishJobs();
    expect(await total(project)).toBe(60);
  });

  test('waits while a later deletion that has removed the entity again is being undone', async () => {
    const organization = await make('organization');
    const project = await make('project', { organizationId: organization });
    await make('task', { projectId: project });
    await deleteEntity(fresh(), 'project', project);
    const before = await storedDeleted('project', project);
    await applyChangeSet(fresh(), { changes: [buildRestore(before, {}, Date.now())] });
    const later = await deleteAlone(await stored('organization', organization));
    await restoreEntity(fresh(), 'organization', organization);
    // A step of that deletion was in progress.
    await deleteAlone(await stored('project', project), later);
    const { deletedAt } = before.deletion;
    const work = {
      type: 'restore',
      kind: 'project',
      id: project,
      deletedAt,
      final: true,
      ...firstMembers,
    } as const;
    const step = () => restore.step(fresh(), jobOf(work));
    expect(await step()).toEqual({ left: work, dueAt: expect.any(String) });
    await finishJobs();
    expect((await step()).repeatable).toHaveLength(1);
  });

  test('restores nothing after 30 days, although the items are still there', async () => {
    const project = await make('project');
    const [task = ''] = await makeTasks(1, { projectId: project });
    await deleteEntity(fresh(), 'project', project);
    // Ids of this process are ahead of the time after other tests have moved it on.
    pass(30 * dayMs - hourMs);
    expect([await deletedIds('project'), await deletedIds('task')]).toEqual([[project], [task]]);
    pass(2 * hourMs);
    expect([await deletedIds('project'), await deletedIds('task')]).toEqual([[], []]);
    await expect(restoreEntity(fresh(), 'project', project)).rejects.toThrow(EntityNotFound);
    await expect(restoreEntity(fresh(), 'task', task)).rejects.toThrow(EntityNotFound);
  });

  test.each([-50_000, hourMs])(
    'is named in the error for an own id that was made %i ms before, until the id is too old',
    async (agoMs) => {
      pass(0);
      const id = uuidv7({ msecs: Date.now() - agoMs });
      await make('task', {}, id);
      await deleteEntity(fresh(), 'task', id);
      const [deleted] = await deletedOnes('task');
      pass(Date.parse(String(deleted?.['deletedAt'])) + 30 * dayMs - 1 - Date.now());
      expect(await deletedIds('task')).toEqual([id]);
      await expect(make('task', {}, id)).rejects.toThrow('with the operation restore');
      pass(1);
      await expect(restoreEntity(fresh(), 'task', id)).rejects.toThrow(EntityNotFound);
      await expect(make('task', {}, id)).rejects.toThrow('more than 30 days old');
    },
  );
});

/** Runs something before each read of some items, and something else after it: a page is read again when its entities change. */
function aroundReads(
  isOfInterest: (key: Key) => boolean,
  before: () => Promise<unknown>,
  after: () => Promise<unknown>,
): void {
  const { getMany } = session.database;
  jest.spyOn(session.database, 'getMany').mockImplementation(async (...request) => {
    const isHit = request[0].some(isOfInterest);
    if (isHit) await before();
    const items = await getMany.apply(session.database, request);
    if (isHit) await after();
    return items;
  });
}

describe('what is restored each time that deleted entities are read is left out', () => {
  test('when its text is read', async () => {
    let description = longText;
    const id = await make('task', { description });
    await deleteEntity(fresh(), 'task', id);
    aroundReads(
      ({ sk }) => sk === textSortKey,
      async () => {
        description += 'y';
        await restoreEntity(fresh(), 'task', id);
        await updateEntity(fresh(), { kind: 'task', id }, { description });
      },
      () => deleteEntity(fresh(), 'task', id),
    );
    expect(await listDeleted(session, 'task', listQuery())).toMatchObject({ entities: [], total: 0 });
  });

  test('when its item is read', async () => {
    const project = await make('project');
    const id = await make('task', { projectId: project });
    await deleteEntity(fresh(), 'project', project);
    const { deletion } = await storedDeleted('project', project);
    aroundReads(
      ({ pk }) => pk.includes(id),
      () => restoreEntity(fresh(), 'task', id),
      async () => deleteAlone(await stored('task', id), deletion),
    );
    const page = await readDeletedBy(session, 'task', deletion, { after: '', limit: 9 });
    expect(page).toMatchObject({ stored: [], total: 0 });
  });

  test('as the last one of a page that others follow', async () => {
    const project = await make('project');
    const tasks = await makeTasks(105, { projectId: project });
    await deleteEntity(fresh(), 'project', project);
    await finishJobs();
    const { deletion } = await storedDeleted('project', project);
    const left = [...tasks];
    aroundReads(
      ({ pk }) => pk.includes(left.at(0) ?? 'none'),
      () => restoreEntity(fresh(), 'task', left.shift() ?? ''),
      async () => undefined,
    );
    const page = await readMembers(session, [deletion], ['task'], { limit: 100 });
    expect(page?.ids).toEqual(tasks.slice(4, 104));
    const last = await readMembers(session, [deletion], ['task'], {
      ...(page && { from: page.next }),
      limit: 100,
    });
    expect(last?.ids).toEqual(tasks.slice(104));
  });
});

describe('a part of a deletion', () => {
  test.each([1, 60])('comes back with %i tasks below it, and all get their project again', async (count) => {
    const project = await make('project');
    const task = await make('task', { projectId: project });
    await makeTasks(count, { projectId: project, parentId: task });
    await deleteEntity(fresh(), 'project', project);
    await finishJobs();
    await restoreEntity(fresh(), 'task', task);
    await finishJobs();
    expect(await deletedIds('task')).toEqual([]);
    await restoreEntity(fresh(), 'project', project);
    await finishJobs();
    expect(await total(project)).toBe(count + 1);
  });

  test('gets its project again when the job of another restore brings that back', async () => {
    const organization = await make('organization');
    const project = await make('project', { organizationId: organization });
    const [task = ''] = await makeTasks(60, { projectId: project });
    await deleteEntity(fresh(), 'organization', organization);
    await finishJobs();
    await restoreEntity(fresh(), 'task', task);
    await finishJobs();
    await restoreEntity(fresh(), 'organization', organization);
    await finishJobs();
    expect(await total(project)).toBe(60);
  });

  test('comes back once although it is below what is restored in two ways', async () => {
    const organization = await make('organization');
    const project = await make('project', { organizationId: organization });
    const other = await make('project', { organizationId: organization });
    const parentId = await make('task', { projectId: project });
    await make('task', { projectId: project, parentId });
    await makeTasks(60, { projectId: other });
    await deleteEntity(fresh(), 'organization', organization);
    await finishJobs();
    await restoreEntity(fresh(), 'organization', organization);
    // The job has not reached it.
    await restoreEntity(fresh(), 'project', project);
    expect(await total(project)).toBe(2);
    await finishJobs();
    expect([await total(project), await total(other)]).toEqual([2, 60]);
  });

  /**
   * Deletes a task with a sub-task that has one too, and then the project of the sub-task, which few see; restores the first task.
   * @param others sub-tasks of the first task, created between these two.
   */
  async function restoreAroundHiddenTask(fields: object, others: number, isBefore: boolean) {
    const project = await make('project', { visibility: 'members', memberIds: [] });
    const root = await make('task');
    const ofHidden = { parentId: root, projectId: project };
    const earlier = isBefore ? await make('task', fields) : undefined;
    const hidden = await make('task', ofHidden);
    await makeTasks(others, { parentId: root });
    const task = earlier ?? (await make('task', { ...fields, parentId: hidden }));
    if (earlier)
      await updateEntity(fresh(), { kind: 'task', id: earlier }, { parentId: hidden }, readChildIds);
    await deleteEntity(fresh(), 'task', root);
    await finishJobs();
    await deleteEntity(fresh(), 'project', project);
    await finishJobs();
    await restoreEntity(fresh(), 'task', root);
    return { project, hidden, task };
  }

  const orders = [
    ['after it', 0, false],
    ['after it and 60 others', 60, false],
    ['after it and 110 others', 110, false],
    ['before it', 0, true],
    ['before it and 60 others', 60, true],
  ] as const;

  test.each(orders)(
    'comes back without its parent when all would see that without its project: it was created %s',
    async (_, others, isBefore) => {
      const other = await make('project');
      const { project, hidden, task } = await restoreAroundHiddenTask({ projectId: other }, others, isBefore);
      const read = async () => (await readEntity(fresh(), 'task', task)).entity;
      await finishJobs();
      expect(await read()).toMatchObject({ parentId: null, projectId: other });
      await restoreEntity(fresh(), 'project', project);
      await restoreEntity(fresh(), 'task', hidden);
      await finishJobs();
      expect(await read()).toMatchObject({ parentId: hidden, projectId: other });
    },
  );

  test.each(orders)(
    'stays deleted with its parent, and comes back with it, when it belongs to nothing else: it was created %s',
    async (_, others, isBefore) => {
      const { project, hidden, task } = await restoreAroundHiddenTask({}, others, isBefore);
      await expect(readEntity(fresh(), 'task', task)).rejects.toThrow(EntityNotFound);
      await finishJobs();
      expect((await storedDeleted('task', task)).deletion.root.id).toBe(hidden);
      await restoreEntity(fresh(), 'project', project);
      await restoreEntity(fresh(), 'task', hidden);
      await finishJobs();
      expect((await readEntity(fresh(), 'task', task)).entity).toMatchObject({ parentId: hidden });
    },
  );

  test('comes back without what stays deleted below another part', async () => {
    const [project, other] = [await make('project', { visibility: 'members' }), await make('project')];
    const root = await make('task');
    const part = await make('task', { parentId: root });
    const hidden = await make('task', { parentId: part, projectId: project });
    const task = await make('task', { parentId: hidden, projectId: other });
    const alone = await make('task', { parentId: hidden });
    await deleteEntity(fresh(), 'task', root);
    await deleteEntity(fresh(), 'project', project);
    await restoreEntity(fresh(), 'task', part);
    await finishJobs();
    expect((await readEntity(fresh(), 'task', task)).entity).toMatchObject({ parentId: null });
    expect((await storedDeleted('task', alone)).deletion).toEqual(
      (await storedDeleted('task', root)).deletion,
    );
  });

  test('that is deleted again and erased takes along what the job of its root has not reached', async () => {
    const root = await make('task');
    const part = await make('task', { parentId: root });
    const tasks = await makeTasks(60, { parentId: part });
    await deleteEntity(fresh(), 'task', root);
    await restoreEntity(fresh(), 'task', root);
    await restoreEntity(fresh(), 'task', part);
    pass(hourMs);
    await deleteEntity(fresh(), 'task', part);
    await eraseDeleted(fresh(), 'task', part);
    await finishJobs();
    for (const id of tasks.slice(0, 3))
      await expect(restoreEntity(fresh(), 'task', id)).rejects.toThrow(EntityNotFound);
  });

  test('stays deleted with a late child of a request that still saw it', async () => {
    const project = await make('project', { visibility: 'members' });
    const root = await make('task');
    const hidden = await make('task', { parentId: root, projectId: project });
    await deleteEntity(fresh(), 'task', root);
    await deleteEntity(fresh(), 'project', project);
    await restoreEntity(fresh(), 'task', root);
    const [late = ''] = await makeTasks(1, { parentId: hidden });
    await finishJobs();
    expect((await storedDeleted('task', late)).deletion.root.id).toBe(hidden);
  });

  test('gives no reference to what stays deleted to what was restored before', async () => {
    const [project, other] = [await make('project', { visibility: 'members' }), await make('project')];
    const root = await make('task');
    const hidden = await make('task', { parentId: root, projectId: project });
    const task = await make('task', { parentId: hidden, projectId: other });
    await deleteEntity(fresh(), 'task', root);
    await restoreEntity(fresh(), 'task', task);
    await deleteEntity(fresh(), 'project', project);
    await restoreEntity(fresh(), 'task', root);
    expect((await readEntity(fresh(), 'task', task)).entity).toMatchObject({ parentId: null });
  });

  /** Deletes a project with a task, restores the task by itself, and returns the ids of both. */
  async function restoreTaskAlone(fields: object = {}): Promise<[string, string]> {
    const project = await make('project');
    const task = await make('task', { projectId: project, ...fields });
    await deleteEntity(fresh(), 'project', project);
    await restoreEntity(fresh(), 'task', task);
    return [project, task];
  }

  test.each(['as a part of its deletion', 'before it'])(
    'gets its project again that was restored at the same time: it was deleted %s',
    async (when) => {
      const project = await make('project');
      const task = await make('task', { projectId: project });
      if (when === 'before it') await deleteEntity(fresh(), 'task', task);
      await deleteEntity(fresh(), 'project', project);
      await restoreEntity(fresh(), 'task', task);
      // A restore that looked for tasks before the task was there.
      const restore = buildRestore(await storedDeleted('project', project), {}, Date.now());
      await applyChangeSet(fresh(), { changes: [restore] });
      expect(await total(project)).toBe(0);
      await finishJobs();
      expect(await total(project)).toBe(1);
    },
  );

  test('gets no reference to what was deleted again before the next step of the job', async () => {
    const [parent, other] = [await make('task'), await make('task')];
    const task = await make('task', { parentId: parent });
    await deleteEntity(fresh(), 'task', parent);
    await restoreEntity(fresh(), 'task', task);
    const returning = { kind: 'task', ids: [parent] };
    const place = { position: 0, after: '', deletedAt: 0, final: true };
    const work = { type: 'restore', kind: 'task', id: other, returning, ...place } as const;
    expect(await restore.step(fresh(), jobOf(work))).toEqual({ left: undefined });
  });

  test('comes back from another deletion before its project does', async () => {
    const parentId = await make('task');
    const [project, task] = await restoreTaskAlone({ parentId });
    await deleteEntity(fresh(), 'task', parentId);
    await restoreEntity(fresh(), 'task', parentId);
    expect((await readEntity(fresh(), 'task', task)).entity).toMatchObject({ parentId, projectId: null });
    await restoreEntity(fresh(), 'project', project);
    expect((await readEntity(fresh(), 'task', task)).entity).toMatchObject({ parentId, projectId: project });
  });

  test('comes back from another deletion although what it belonged to there was erased', async () => {
    const root = await make('task');
    const parentId = await make('task', { parentId: root });
    const [, task] = await restoreTaskAlone({ parentId });
    await deleteEntity(fresh(), 'task', root);
    await eraseDeleted(fresh(), 'task', parentId);
    await restoreEntity(fresh(), 'task', root);
    expect((await readEntity(fresh(), 'task', task)).entity).toMatchObject({ parentId: null });
  });

  test('stays although the job of its restored root finds that what it belongs to was deleted again', async () => {
    const organization = await make('organization');
    const project = await make('project', { organizationId: organization });
    const parentId = await make('task', { projectId: project });
    const part = await make('task', { projectId: project, parentId });
    await makeTasks(60, { projectId: project });
    await deleteEntity(fresh(), 'organization', organization);
    await finishJobs();
    await restoreEntity(fresh(), 'organization', organization);
    await restoreEntity(fresh(), 'project', project);
    pass(hourMs);
    await deleteEntity(fresh(), 'project', project);
    await restoreEntity(fresh(), 'task', part);
    await finishJobs();
    const { entity } = await readEntity(fresh(), 'task', part);
    expect(entity).toMatchObject({ parentId: null, projectId: null });
    await restoreEntity(fresh(), 'project', project);
    await finishJobs();
    expect((await readEntity(fresh(), 'task', part)).entity).toMatchObject({ parentId, projectId: project });
  });

  test('comes back with its project when what it belonged to besides was erased', async () => {
    const organization = await make('organization');
    const project = await make('project', { organizationId: organization });
    const parentId = await make('task', { projectId: project });
    await makeTasks(60, { projectId: project, parentId });
    await deleteEntity(fresh(), 'organization', organization);
    await finishJobs();
    await restoreEntity(fresh(), 'organization', organization);
    for (const [kind, id] of [
      ['project', project],
      ['task', parentId],
    ] as const)
      await restoreEntity(fresh(), kind, id);
    pass(hourMs);
    await deleteEntity(fresh(), 'project', project);
    await eraseDeleted(fresh(), 'task', parentId);
    await finishJobs();
    await restoreEntity(fresh(), 'project', project);
    await finishJobs();
    expect(await total(project)).toBe(60);
  });

  test('stays with what is below it although a step of the deletion, which had not reached its parent, removes it again', async () => {
    const project = await make('project');
    const top = await make('task', { projectId: project });
    const part = await make('task', { parentId: top });
    const child = await make('task', { parentId: part });
    const deletion = await deleteAlone(await stored('project', project));
    for (const id of [child, part]) await deleteAlone(await stored('task', id), deletion);
    await restoreEntity(fresh(), 'task', part);
    expect((await readEntity(fresh(), 'task', part)).entity).toMatchObject({ parentId: top });
    await runJobs();
    await expect(readEntity(fresh(), 'task', part)).rejects.toThrow(EntityNotFound);
    await finishJobs();
    expect((await readEntity(fresh(), 'task', part)).entity).toMatchObject({ parentId: null });
    expect((await readEntity(fresh(), 'task', child)).entity).toMatchObject({ parentId: part });
    await restoreEntity(fresh(), 'project', project);
    await finishJobs();
    expect((await readEntity(fresh(), 'task', part)).entity).toMatchObject({ parentId: top });
  });

  describe('a job remembers the entities of 50 steps that keep references', () => {
    const keeping = (count: number) =>
      Array.from({ length: count }, () => ({ kind: 'task', ids: [] }) as const);
    const place = { type: 'restore', final: false, position: 0, after: '' } as const;
    let project: string;
    let task: string;
    let deletedAt: number;

    beforeEach(async () => {
      const parentId = await make('task');
      project = await make('project');
      task = await make('task', { projectId: project, parentId });
      await deleteEntity(fresh(), 'project', project);
      ({ deletedAt } = (await storedDeleted('project', project)).deletion);
      await finishJobs();
      await deleteAlone(await stored('task', parentId));
    });

    /** Returns what two steps remember: with room for one more, and without. */
    async function remembered(work: Pick<RestoreWork, 'kind' | 'id' | 'root'>) {
      const left = [49, 50].map(async (count) => {
        const before = jobOf({ ...place, deletedAt, ...work, keeping: keeping(count) });
        return (await restore.step(fresh(), before)).left?.keeping;
      });
      return Promise.all(left);
    }

    const expected = () => [[...keeping(49), { kind: 'task', ids: [task] }], keeping(50)];

    test('when it restores a page', async () => {
      const own = buildRestore(await storedDeleted('project', project), {}, Date.now());
      await applyChangeSet(fresh(), { changes: [own] });
      expect(await remembered({ kind: 'project', id: project })).toEqual(expected());
    });

    test('when it restores a part again', async () => {
      const root = { kind: 'project', id: project } as const;
      expect(await remembered({ kind: 'task', id: task, root })).toEqual(expected());
    });
  });

  test('keeps nothing of a project that has expired', async () => {
    const [, task] = await restoreTaskAlone();
    pass(29 * dayMs);
    await deleteEntity(fresh(), 'task', task);
    pass(2 * dayMs);
    await restoreEntity(fresh(), 'task', task);
    expect((await stored('task', task)).entity['$projectId']).toBeNull();
  });
});

test('a deleted entity is absent from every read of the database that does not ask for it', async () => {
  const id = await make('task', { description: longText });
  await deleteEntity(fresh(), 'task', id);
  const { database, tenant } = session;
  const key = entityKey(tenant, 'task', id);
  expect(await database.get(key)).toBeUndefined();
  expect(await database.getMany([key])).toEqual([]);
  const query = {
    KeyConditionExpression: 'pk = :pk AND sk = :sk',
    ExpressionAttributeValues: { ':pk': key.pk, ':sk': key.sk },
  };
  expect((await database.query(query)).items).toEqual([]);
  for await (const { items } of database.pages(query)) expect(items).toEqual([]);
  expect(await database.get(key, { withDeleted: true })).toMatchObject(key);
  expect((await database.query(query, undefined, { withDeleted: true })).items).toHaveLength(1);
});

test('the feed and events have a deletion, not the row that it leaves', async () => {
  const id = await make('task');
  const { cursor } = await listChanges(fresh(), 'task', listQuery(), 'now');
  await deleteEntity(fresh(), 'task', id);
  const page = await listChanges(fresh(), 'task', listQuery(), cursor);
  expect(page).toMatchObject({ entities: [], removed: [id] });
  const { items } = await session.database.query(rangeQuery(session.tenant, 'task', 0));
  const send = jest.fn<Promise<undefined>, [readonly CloudEvent[]]>().mockResolvedValue(undefined);
  await publishItems(items, send);
  expect(send.mock.calls[0]?.[0].map(({ type }) => type)).toEqual(['task.created', 'task.deleted']);
});

test.each([
  ['in records', undefined],
  ['that wait', 100],
  ['in segments', 1],
])('deleted rows %s are in lists of deleted entities alone', async (_, minSegmentRows) => {
  const sizes = { ...defaultSizes, maxRows: 2, maxMergedRows: 4 };
  const absorb = async (): Promise<void> => {
    if (minSegmentRows)
      await compactAll(store.database(), session.tenant, 'task', { ...sizes, minSegmentRows });
  };
  const project = await make('project');
  // A row has only its beginning.
  const description = 'x'.repeat(150);
  const ids = await makeTasks(6, { projectId: project, description });
  await absorb();
  const [first = '', second = '', third = ''] = ids;
  for (const id of [first, second, third]) await deleteEntity(fresh(), 'task', id);
  await absorb();
  const all = await listEntities(fresh(), 'task', listQuery({ limit: 1, page: 3 }));
  expect([all.total, all.entities.map(({ id }) => id)]).toEqual([3, [ids[5]]]);
  const filters = [isValue('projectId', project)];
  const ofProject = await listEntities(fresh(), 'task', listQuery({ filters, countBy: ['status'] }));
  expect(ofProject.entities.map(({ id }) => id)).toEqual(ids.slice(3));
  expect(ofProject).toMatchObject({ total: 3, counts: { status: [{ value: 'open', count: 3 }] } });
  const { children } = await readChildren(fresh(), relationOf('task', 'project'), [project]);
  expect(children.map(({ entity }) => entity.id)).toEqual(ids.slice(3));
  // The columns do not have these yet.
  await restoreEntity(fresh(), 'task', first);
  await eraseDeleted(fresh(), 'task', second);
  for (const _ of ['pending', 'absorbed']) {
    const deleted = await listDeleted(fresh(), 'task', listQuery({ filters, countBy: ['status'] }));
    expect(deleted.entities).toMatchObject([{ id: third, description }]);
    const some = await listDeleted(fresh(), 'task', listQuery({ fields: new Set(['id', 'name']) }));
    expect(some.entities).toMatchObject([{ id: third, deletedAt: deleted.entities[0]?.['deletedAt'] }]);
    expect(deleted).toMatchObject({ total: 1, counts: { status: [{ value: 'open', count: 1 }] } });
    expect((await listEntities(fresh(), 'task', listQuery({ filters }))).total).toBe(4);
    await absorb();
  }
});

/** Returns the ids of the rows that the columns of tasks have. */
async function idsInColumns(): Promise<string[]> {
  const reader = openLog(store.database(), session.tenant, 'task');
  const manifest = (await reader.readManifest()) ?? emptyManifest;
  const columns = new ColumnReader(manifest, reader, new ProcessMemory().of('', ''));
  await columns.loadAllIds(manifest.segments);
  const inSegments = manifest.segments.flatMap((segment) =>
    Array.from({ length: segment.rows }, (_, row) => columns.idOf(segment, row)),
  );
  await columns.readWaiting(true);
  const waiting = manifest.waiting.flatMap((item) => columns.waitingRows(item).map(({ id }) => id));
  return [...inSegments, ...waiting].sort();
}

test.each([
  ['in a segment', 20],
  ['that wait', 4],
])('rows %s leave the columns when their deletion has expired, and not before', async (_, count) => {
  const absorb = () =>
    compactAll(store.database(), session.tenant, 'task', { ...defaultSizes, minSegmentRows: 20 });
  const ids = await makeTasks(count, {});
  const [kept = '', restored = ''] = ids;
  for (const id of ids.slice(1)) await deleteEntity(fresh(), 'task', id);
  await absorb();
  const filters = [isValue('status', 'open')];
  expect(await listEntities(fresh(), 'task', listQuery({ filters }))).toMatchObject({
    entities: [{ id: kept }],
    total: 1,
  });
  // When earlier tests have moved the clock, ids are ahead of it, and deletions too.
  const [last] = await deletedOnes('task');
  pass(Date.parse(String(last?.['deletedAt'])) + 30 * dayMs - hourMs - Date.now());
  await absorb();
  expect(await idsInColumns()).toEqual(ids);
  await restoreEntity(fresh(), 'task', restored);
  await absorb();
  // Rows are counted by the week of their deletion.
  pass(9 * dayMs);
  await absorb();
  expect(await idsInColumns()).toEqual([kept, restored]);
});

test('the history and the events of an entity do not have that a deleted one went to a later deletion, or was erased', async () => {
  const id = await make('task');
  await deleteEntity(fresh(), 'task', id);
  const deleted = await storedDeleted('task', id);
  const move = buildMove(deleted, { ...deleted.deletion, deletedAt: Date.now() + 1 });
  await applyChangeSet(fresh(), { changes: [move] });
  await restoreEntity(fresh(), 'task', id);
  const { entries } = await listHistory(fresh(), { kind: 'task', id }, { limit: 10 });
  expect(entries.map(({ entry }) => entry.version)).toEqual([4, 2, 1]);
  await deleteEntity(fresh(), 'task', id);
  await eraseDeleted(fresh(), 'task', id);
  const { items } = await session.database.query(rangeQuery(session.tenant, 'task', 0));
  const send = jest.fn<Promise<undefined>, [readonly CloudEvent[]]>().mockResolvedValue(undefined);
  await publishItems(items, send);
  const types = send.mock.calls[0]?.[0].map(({ type }) => type);
  expect(types).toEqual(['task.created', 'task.deleted', 'task.restored', 'task.deleted']);
});

describe('eraseDeleted', () => {
  test('is refused while a part of the deletion is being restored, which would lose the rest', async () => {
    const project = await make('project');
    const part = await make('task', { projectId: project });
    await makeTasks(61, { projectId: project, parentId: part });
    await deleteEntity(fresh(), 'project', project);
    await finishJobs();
    await restoreEntity(fresh(), 'task', part);
    await expect(eraseDeleted(fresh(), 'project', project)).rejects.toThrow(RestoreInProgress);
    await finishJobs();
    await eraseDeleted(fresh(), 'project', project);
    await finishJobs();
    const below = listQuery({ filters: [isValue('parentId', part)] });
    expect((await listEntities(fresh(), 'task', below)).total).toBe(61);
  });

  test.each([
    ['in a segment', [80, 0]],
    ['that waits', [12, 0]],
    ['in a segment, and changed since', [80, 1]],
    ['that waits, and changed since', [12, 1]],
  ] as const)(
    'leaves no value of a row %s in the columns, and the total of deleted ones is right at once',
    async (_, [count, changes]) => {
      const ids = await makeTasks(count, { name: 'secret' });
      const erased = ids.at(-1) as string;
      // One of each segment.
      const kept = [ids[0] as string, ids.at(-2) as string];
      // Two segments, which are not merged: patches have values of both.
      const sizes = { ...defaultSizes, minSegmentRows: 20, maxRows: 60 };
      const absorb = () => compactAll(store.database(), session.tenant, 'task', sizes);
      await absorb();
      for (let change = 0; change < changes; change += 1)
        await updateEntity(fresh(), { kind: 'task', id: erased }, { name: 'secret changed' });
      for (const id of [erased, ...kept]) await deleteEntity(fresh(), 'task', id);
      await absorb();
      await eraseDeleted(fresh(), 'task', erased);
      expect((await deletedIds('task')).sort()).toEqual(kept);
      await purge(() => openLog(store.database(), session.tenant, 'task'));
      expect((await deletedIds('task')).sort()).toEqual(kept);
      expect((await listEntities(fresh(), 'task', listQuery())).total).toBe(count - 3);
      expect(await idsInColumns()).toEqual(ids.slice(0, -1));
      const manifest = await openLog(store.database(), session.tenant, 'task').readManifest();
      expect(manifest?.patches).toEqual([]);
    },
  );

  /** Checks that nothing is left of a task but its id, so that it names nothing else until no request can have it any more. */
  async function expectErased(id: string): Promise<void> {
    const item = await session.database.get(entityKey(session.tenant, 'task', id), { withDeleted: true });
    const names = ['deletedAt', 'erased', 'expiresAt', 'kind', 'logPosition', 'pk', 'sk', 'version'];
    expect(Object.keys(item ?? {}).sort()).toEqual(names);
    expect(await session.database.get(textKey(session.tenant, 'task', id))).toBeUndefined();
    await expect(restoreEntity(fresh(), 'task', id)).rejects.toThrow(EntityNotFound);
  }

  test('removes a deleted entity with what its deletion has removed, for good, and keeps the ids', async () => {
    const project = await make('project');
    const task = await make('task', { projectId: project, description: longText });
    await deleteEntity(fresh(), 'project', project);
    expect(await eraseDeleted(fresh(), 'project', project)).toEqual(
      new Map([
        ['project', 1],
        ['task', 1],
      ]),
    );
    await expectErased(task);
    await expect(make('task', {}, task)).rejects.toThrow('was deleted for good');
    await expect(eraseDeleted(fresh(), 'project', project)).rejects.toThrow(EntityNotFound);
    await expect(restoreEntity(fresh(), 'project', project)).rejects.toThrow(EntityNotFound);
    expect(await deletedIds('task')).toEqual([]);
  });

  test('removes a part of a deletion alone', async () => {
    const project = await make('project');
    const [part = '', other] = await makeTasks(2, { projectId: project });
    await deleteEntity(fresh(), 'project', project);
    expect(await eraseDeleted(fresh(), 'task', part)).toEqual(new Map([['task', 1]]));
    expect(await deletedIds('task')).toEqual([other]);
    await restoreEntity(fresh(), 'project', project);
    expect(await total(project)).toBe(1);
  });

  test('refuses a restore that read the entity before', async () => {
    const task = await make('task', { description: longText });
    await deleteEntity(fresh(), 'task', task);
    const restore = buildRestore(await storedDeleted('task', task), {}, Date.now());
    expect(await eraseDeleted(fresh(), 'task', task)).toEqual(new Map([['task', 1]]));
    await expect(applyChangeSet(fresh(), { changes: [restore] })).rejects.toThrow(ConditionFailed);
    await expectErased(task);
  });

  test('also removes what the job of the deletion has not reached yet', async () => {
    const project = await make('project');
    const tasks = await makeTasks(1, { projectId: project });
    tasks.push(await make('task', { projectId: project, description: longText }));
    await deleteAlone(await stored('project', project));
    expect(await eraseDeleted(fresh(), 'project', project)).toEqual(new Map([['project', 1]]));
    await finishJobs();
    for (const id of tasks) await expectErased(id);
  });

  test('can be repeated for what a step of the deletion has removed meanwhile', async () => {
    const project = await make('project');
    const task = await make('task', { projectId: project, description: longText });
    const child = await stored('task', task);
    const deletion = await deleteAlone(await stored('project', project));
    await eraseDeleted(fresh(), 'project', project);
    await deleteAlone(child, deletion);
    expect(await eraseDeleted(fresh(), 'project', project)).toEqual(new Map([['task', 1]]));
    await expectErased(task);
    await expect(eraseDeleted(fresh(), 'project', project)).rejects.toThrow(EntityNotFound);
  });
});

describe.each(['project', 'organization'] as const)(
  'while the job restores the %s, a project takes its tasks along',
  (kind) => {
    let project: string;
    let tasks: string[];

    /** Restores a project with 61 tasks, whose job has not brought them back, and deletes the project again. */
    beforeEach(async () => {
      const organization = await make('organization');
      project = await make('project', { organizationId: organization });
      tasks = [await make('task', { projectId: project, description: longText })];
      tasks.push(...(await makeTasks(60, { projectId: project })));
      const id = kind === 'project' ? project : organization;
      await deleteEntity(fresh(), kind, id);
      if (kind === 'organization') await finishJobs();
      await restoreEntity(fresh(), kind, id);
      if (kind === 'organization') await restoreEntity(fresh(), 'project', project);
      expect(await total(project)).toBe(0);
      // The texts of the two deletions expire at different times. Ids that other tests have made ahead of the clock are later than it.
      pass(hourMs);
      await deleteEntity(fresh(), 'project', project);
    });

    test('when it is deleted again, and comes back with them', async () => {
      await finishJobs();
      expect(await total(project)).toBe(0);
      const deleted = await deletedOnes('task');
      expect(deleted.map(({ deletedWith }) => deletedWith)).toEqual(Array(61).fill(project));
      const [first = ''] = tasks;
      const text = await session.database.get(textKey(session.tenant, 'task', first));
      const expiring = deleted.find(({ id }) => id === first);
      const deletion = { deletedAt: Date.parse(String(expiring?.['deletedAt'])) } as Deletion;
      expect(text?.['expiresAt']).toBe(expiryOf(deletion));
      // A task can be restored with the version that it had before the first deletion, and with that of the list.
      const { entities, versions } = await listDeleted(fresh(), 'task', listQuery({ limit: 2 }));
      for (const [place, expected] of [1, versions[1] ?? 0].entries())
        await restoreEntity(fresh(), 'task', entities[place]?.id ?? '', new Set([expected]));
      await restoreEntity(fresh(), 'project', project);
      await finishJobs();
      expect(await total(project)).toBe(61);
    });

    test('when it is deleted again and erased', async () => {
      await eraseDeleted(fresh(), 'project', project);
      await finishJobs();
      expect(await deletedIds('task')).toEqual([]);
      expect(await total(project)).toBe(0);
      for (const id of tasks.slice(0, 3))
        await expect(restoreEntity(fresh(), 'task', id)).rejects.toThrow(EntityNotFound);
      expect(await session.database.get(textKey(session.tenant, 'task', tasks[0] ?? ''))).toBeUndefined();
    });
  },
);
