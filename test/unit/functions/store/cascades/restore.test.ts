import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { continueJob } from '#functions/store/cascades/continue-job.ts';
import { deleteEntity } from '#functions/store/cascades/delete-entity.ts';
import { eraseDeleted } from '#functions/store/cascades/erase-deleted.ts';
import { restoreEntity, restoreStep } from '#functions/store/cascades/restore.ts';
import { buildDelete } from '#functions/store/cascades/sweep.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { readEntity, readEntityItem } from '#functions/store/entities/read-entity.ts';
import { listDeleted } from '#functions/store/lists/list-deleted.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { expiryOf, newDeletion } from '#functions/store/model/deletion.ts';
import type { DeletedEntity, Deletion } from '#functions/store/model/entity.ts';
import { EntityNotFound } from '#functions/store/model/errors.ts';
import { decodeJob, type Job, jobsOfTenant, type RestoreWork } from '#functions/store/model/job.ts';
import { entityKey, textKey } from '#functions/store/model/keys.ts';
import type { Kind } from '#functions/store/model/relations.ts';
import { applyChangeSet, applyInBatches } from '#functions/store/unit-of-work/commit.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { isValue, listQuery } from '#test/support/list-queries.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

let store: TestStore;
let session: Session;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

beforeEach(() => {
  session = store.session(randomUUID());
});

afterEach(() => {
  jest.restoreAllMocks();
});

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Moves the clock of the service on. */
function pass(ms: number): void {
  const now = Date.now() + ms;
  jest.spyOn(Date, 'now').mockReturnValue(now);
}

const fresh = (): Session => store.session(session.tenant);

async function make(kind: Kind, fields: object = {}): Promise<string> {
  return (await createEntity(fresh(), kind, { name: 'x', status: 'open', ...fields })).entity.id;
}

const makeTask = (fields: object): Promise<string> =>
  make('task', { projectId: null, userId: null, tagIds: [], ...fields });

const exists = (kind: Kind, id: string): Promise<boolean> =>
  readEntity(fresh(), kind, id).then(
    () => true,
    (error) => {
      if (error instanceof EntityNotFound) return false;
      throw error;
    },
  );

async function jobs(): Promise<Job[]> {
  const { items } = await session.database.query(jobsOfTenant(session.tenant));
  return items.map(decodeJob);
}

/** Continues all jobs that are due. */
async function runJobs(): Promise<void> {
  for (const { id, tenant } of await jobs())
    await continueJob(store.database(), { id, tenant }, { owner: randomUUID() });
}

/** Runs all jobs to their end. */
async function finishJobs(): Promise<void> {
  for (let round = 0; round < 8 && (await jobs()).length > 0; round += 1) {
    await runJobs();
    pass(63_000);
  }
  expect(await jobs()).toEqual([]);
}

const total = async (projectId: string): Promise<number> => {
  const filters = [isValue('projectId', projectId)];
  return (await listEntities(fresh(), 'task', listQuery({ filters }))).total;
};

const deletedIds = async (kind: Kind): Promise<string[]> =>
  (await listDeleted(fresh(), kind, { limit: 100 })).deleted.map(({ entity }) => entity.id);

/** Deletes an entity alone, as the first transaction of a deletion that leaves what belongs to it to the job. */
async function deleteAlone(kind: Kind, id: string): Promise<void> {
  const step = { tenant: session.tenant, nowMs: Date.now() };
  const stored = await readEntityItem(fresh(), kind, id);
  const deletion = newDeletion(stored, undefined, step.nowMs);
  await applyChangeSet(fresh(), buildDelete(step, stored, deletion, { includesChildren: false }));
}

describe.each([0, 1_000, 30_000, 70_000])('a restore %i ms after the deletion', (waitMs) => {
  test('brings back all that the deletion has removed, and its jobs remove nothing more', async () => {
    const project = await make('project', { organizationId: null });
    const tasks = [await makeTask({ projectId: project }), await makeTask({ projectId: project })];
    await deleteEntity(fresh(), 'project', project);
    pass(waitMs);
    await runJobs();
    await restoreEntity(fresh(), 'project', project);
    expect(await total(project)).toBe(2);
    await finishJobs();
    expect(await exists('project', project)).toBe(true);
    for (const id of tasks) expect(await exists('task', id)).toBe(true);
    expect(await total(project)).toBe(2);
  });
});

test('a restore before the job has begun keeps all children', async () => {
  const project = await make('project', { organizationId: null });
  const task = await makeTask({ projectId: project });
  await deleteAlone('project', project);
  await restoreEntity(fresh(), 'project', project);
  await finishJobs();
  expect(await exists('task', task)).toBe(true);
});

test('the second pass brings back what a step of the deletion removes during the restore', async () => {
  const project = await make('project', { organizationId: null });
  const task = await makeTask({ projectId: project });
  const stored = await readEntityItem(fresh(), 'project', project);
  await deleteAlone('project', project);
  const { deletion } = (await listDeleted(fresh(), 'project', { limit: 1 })).deleted[0] ?? {};
  await restoreEntity(fresh(), 'project', project);
  // The step has read the project before.
  const child = await readEntityItem(fresh(), 'task', task);
  const late = buildDelete(
    { tenant: session.tenant, nowMs: Date.now() },
    child,
    deletion ?? newDeletion(stored, undefined, 0),
    { includesChildren: false },
  );
  await applyChangeSet(fresh(), late);
  expect(await exists('task', task)).toBe(false);
  await finishJobs();
  expect(await exists('task', task)).toBe(true);
  expect((await readEntity(fresh(), 'task', task)).entity['projectId']).toBe(project);
});

test('what a restore has not brought back yet comes back after another deletion and restore', async () => {
  const project = await make('project', { organizationId: null });
  for (let number = 0; number < 60; number += 1) await makeTask({ projectId: project });
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

describe('while the job restores an organization', () => {
  /** Returns a project with 61 tasks, which is restored before its tasks are. */
  async function makeRestored(): Promise<string> {
    const organization = await make('organization');
    const project = await make('project', { organizationId: organization });
    await makeTask({ projectId: project, description: 'x'.repeat(500) });
    for (let number = 0; number < 60; number += 1) await makeTask({ projectId: project });
    await deleteEntity(fresh(), 'organization', organization);
    await finishJobs();
    await restoreEntity(fresh(), 'organization', organization);
    await restoreEntity(fresh(), 'project', project);
    expect(await total(project)).toBe(0);
    return project;
  }

  test('a project of it can be restored, and its tasks follow', async () => {
    const project = await makeRestored();
    await finishJobs();
    expect(await total(project)).toBe(61);
  });

  test('a project that is deleted again takes its tasks along, and comes back with them', async () => {
    const project = await makeRestored();
    await deleteEntity(fresh(), 'project', project);
    await finishJobs();
    expect((await listEntities(fresh(), 'task', listQuery({}))).total).toBe(0);
    const { deleted } = await listDeleted(fresh(), 'task', { limit: 100 });
    expect(deleted.map(({ deletion }) => deletion.root.id)).toEqual(Array(61).fill(project));
    const expiring = deleted.find(({ entity }) => entity.description !== undefined);
    const text = await session.database.get(textKey(session.tenant, 'task', expiring?.entity.id ?? ''));
    expect(text?.['expiresAt']).toBe(expiryOf(expiring?.deletion as Deletion));
    await restoreEntity(fresh(), 'project', project);
    await finishJobs();
    expect(await total(project)).toBe(61);
  });
});

test('what a step of the deletion removes during the restore can be restored by itself', async () => {
  const organization = await make('organization');
  const project = await make('project', { organizationId: organization });
  await deleteAlone('organization', organization);
  const { deletion } = (await listDeleted(fresh(), 'organization', { limit: 1 })).deleted[0] as DeletedEntity;
  await restoreEntity(fresh(), 'organization', organization);
  const step = { tenant: session.tenant, nowMs: Date.now() };
  const stored = await readEntityItem(fresh(), 'project', project);
  await applyChangeSet(fresh(), buildDelete(step, stored, deletion, { includesChildren: false }));
  expect((await restoreEntity(fresh(), 'project', project)).entity.id).toBe(project);
  await finishJobs();
  expect(await exists('project', project)).toBe(true);
});

test('a step of the job can be repeated, and continues after the last entity', async () => {
  const project = await make('project', { organizationId: null });
  const ids: string[] = [];
  for (let number = 0; number < 120; number += 1) ids.push(await makeTask({ projectId: project }));
  await deleteEntity(fresh(), 'project', project);
  await finishJobs();
  await restoreEntity(fresh(), 'project', project);
  const job = (await jobs()).find(({ work }) => work.type === 'restore') as Job<RestoreWork>;
  const first = await restoreStep(fresh(), job);
  expect(first.repeatable).toHaveLength(100);
  await applyInBatches(fresh(), first.repeatable ?? [], 25);
  // A crash before the progress is recorded: the same step finds what is left.
  const repeated = await restoreStep(fresh(), job);
  const second = await restoreStep(fresh(), { ...job, work: first.left as RestoreWork });
  expect(repeated).toMatchObject({ left: { position: 1, after: '' } });
  for (const { repeatable } of [repeated, second]) expect(repeatable).toHaveLength(20);
  await finishJobs();
  expect(await total(project)).toBe(120);
});

test('the restore of a part of the deletion of an organization brings back this part alone', async () => {
  const organization = await make('organization');
  const project = await make('project', { organizationId: organization });
  const task = await makeTask({ projectId: project });
  await deleteEntity(fresh(), 'organization', organization);
  await restoreEntity(fresh(), 'task', task);
  expect((await readEntity(fresh(), 'task', task)).entity['projectId']).toBeNull();
  await restoreEntity(fresh(), 'organization', organization);
  await deleteEntity(fresh(), 'organization', organization);
  await expect(restoreEntity(fresh(), 'project', project)).rejects.toThrow('Restore the organization first');
  expect(await exists('organization', organization)).toBe(false);
});

test('two restores at the same time both return the entity', async () => {
  const id = await makeTask({});
  await deleteEntity(fresh(), 'task', id);
  const restored = await Promise.all([
    restoreEntity(fresh(), 'task', id),
    restoreEntity(fresh(), 'task', id),
  ]);
  expect(restored.map(({ version }) => version)).toEqual([3, 3]);
});

test('the deletion of a parent during a restore removes the restored child', async () => {
  const project = await make('project', { organizationId: null });
  const task = await makeTask({ projectId: project });
  await deleteEntity(fresh(), 'task', task);
  const own = fresh();
  const { database } = own;
  const transact = database.transact.bind(database);
  jest.spyOn(database, 'transact').mockImplementationOnce(async (writes, sendUntil) => {
    await deleteEntity(fresh(), 'project', project);
    return transact(writes, sendUntil);
  });
  await restoreEntity(own, 'task', task);
  await finishJobs();
  expect(await exists('task', task)).toBe(false);
  expect(await total(project)).toBe(0);
});

describe('after 30 days', () => {
  test('what was deleted is gone, although its item is still there', async () => {
    const project = await make('project', { organizationId: null });
    const task = await makeTask({ projectId: project });
    await deleteEntity(fresh(), 'project', project);
    // Ids of this process are ahead of the time after other tests have moved it on.
    pass(30 * dayMs - hourMs);
    expect([await deletedIds('project'), await deletedIds('task')]).toEqual([[project], [task]]);
    pass(2 * hourMs);
    expect([await deletedIds('project'), await deletedIds('task')]).toEqual([[], []]);
    for (const [kind, id] of [
      ['project', project],
      ['task', task],
    ] as const)
      await expect(restoreEntity(fresh(), kind, id)).rejects.toThrow(EntityNotFound);
  });

  test.each([
    ['that was ahead of the time', -50_000],
    ['of the time', 0],
    ['of an hour before', hourMs],
  ])('an own id %s is too old', async (_title, agoMs) => {
    pass(0);
    const fields = { name: 'x', status: 'open', projectId: null, userId: null, tagIds: [] };
    const id = uuidv7({ msecs: Date.now() - agoMs });
    await createEntity(fresh(), 'task', fields, id);
    await deleteEntity(fresh(), 'task', id);
    await expect(createEntity(fresh(), 'task', fields, id)).rejects.toThrow('with the operation restore');
    const { deletion } = (await listDeleted(fresh(), 'task', { limit: 1 })).deleted[0] as DeletedEntity;
    const expiresMs = deletion.deletedAt + 30 * dayMs;
    pass(expiresMs - 1 - Date.now());
    expect(await deletedIds('task')).toEqual([id]);
    await expect(createEntity(fresh(), 'task', fields, id)).rejects.toThrow('with the operation restore');
    pass(1);
    await expect(restoreEntity(fresh(), 'task', id)).rejects.toThrow(EntityNotFound);
    await expect(createEntity(fresh(), 'task', fields, id)).rejects.toThrow('more than 30 days old');
  });
});

test('a deleted entity is absent from every read of the database that does not ask for it', async () => {
  const id = await makeTask({ description: 'x'.repeat(500) });
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
  expect(await database.get(textKey(tenant, 'task', id))).toMatchObject({ expiresAt: expect.any(Number) });
});

test('the audit finds nothing wrong with deleted and restored entities', async () => {
  const own = await startTestStore();
  const at = () => own.session('a');
  const description = 'x'.repeat(500);
  const fields = { name: 'x', status: 'open', description, projectId: null, userId: null, tagIds: [] };
  const [kept, restored] = [
    (await createEntity(at(), 'task', fields)).entity.id,
    (await createEntity(at(), 'task', fields)).entity.id,
  ];
  const user = (
    await createEntity(at(), 'user', { name: 'x', status: 'a', subject: 's', organizationId: null })
  ).entity.id;
  for (const id of [kept, restored]) await deleteEntity(at(), 'task', id);
  await deleteEntity(at(), 'user', user);
  await restoreEntity(at(), 'task', restored);
  const found = await auditTable(own.client, own.tableName, { pauseMs: 50 });
  expect(found).toMatchObject({
    entities: 1,
    orphans: [],
    malformed: [],
    texts: [],
    subjects: [],
    logs: [],
  });
  await own.stop();
});

describe('eraseDeleted', () => {
  test('removes a deleted entity with what its deletion has removed, for good', async () => {
    const project = await make('project', { organizationId: null });
    const task = await makeTask({ projectId: project, description: 'x'.repeat(500) });
    await deleteEntity(fresh(), 'project', project);
    expect(await eraseDeleted(fresh(), 'project', project)).toBe(2);
    for (const [kind, id] of [
      ['project', project],
      ['task', task],
    ] as const) {
      await expect(restoreEntity(fresh(), kind, id)).rejects.toThrow(EntityNotFound);
      expect(await session.database.get(textKey(session.tenant, kind, id))).toBeUndefined();
    }
  });

  test('keeps the ids, so that they name nothing else until no request can have them any more', async () => {
    const project = await make('project', { organizationId: null });
    const task = await makeTask({ projectId: project });
    await deleteEntity(fresh(), 'project', project);
    await eraseDeleted(fresh(), 'project', project);
    const fields = { name: 'x', status: 'open', projectId: null, userId: null, tagIds: [] };
    await expect(createEntity(fresh(), 'task', fields, task)).rejects.toThrow('was deleted for good');
    await expect(eraseDeleted(fresh(), 'project', project)).rejects.toThrow(EntityNotFound);
    expect(await deletedIds('task')).toEqual([]);
    const item = await session.database.get(entityKey(session.tenant, 'task', task), { withDeleted: true });
    expect(Object.keys(item ?? {}).sort()).toEqual([
      'deletedAt',
      'erased',
      'expiresAt',
      'kind',
      'pk',
      'sk',
      'stamp',
      'version',
    ]);
  });

  test('refuses an entity that exists', async () => {
    const id = await makeTask({});
    await expect(eraseDeleted(fresh(), 'task', id)).rejects.toThrow(EntityNotFound);
    expect(await exists('task', id)).toBe(true);
  });

  /** Checks that nothing is left of a task but its id. */
  async function expectErased(id: string): Promise<void> {
    const item = await session.database.get(entityKey(session.tenant, 'task', id), { withDeleted: true });
    expect([id, item?.['erased'], item?.['name']]).toEqual([id, true, undefined]);
    expect(await session.database.get(textKey(session.tenant, 'task', id))).toBeUndefined();
  }

  test('also of what the job of the deletion has not reached yet', async () => {
    const project = await make('project', { organizationId: null });
    const tasks = [
      await makeTask({ projectId: project }),
      await makeTask({ projectId: project, description: 'x'.repeat(500) }),
    ];
    await deleteAlone('project', project);
    expect(await eraseDeleted(fresh(), 'project', project)).toBe(1);
    await finishJobs();
    for (const id of tasks) await expectErased(id);
  });

  test('can be repeated for what a step of the deletion has removed meanwhile', async () => {
    const project = await make('project', { organizationId: null });
    const task = await makeTask({ projectId: project, description: 'x'.repeat(500) });
    const child = await readEntityItem(fresh(), 'task', task);
    await deleteAlone('project', project);
    const { deletion } = (await listDeleted(fresh(), 'project', { limit: 1 })).deleted[0] as DeletedEntity;
    await eraseDeleted(fresh(), 'project', project);
    const step = { tenant: session.tenant, nowMs: Date.now() };
    await applyChangeSet(fresh(), buildDelete(step, child, deletion, { includesChildren: false }));
    expect(await eraseDeleted(fresh(), 'project', project)).toBe(1);
    await expectErased(task);
    await expect(eraseDeleted(fresh(), 'project', project)).rejects.toThrow(EntityNotFound);
  });

  describe('while the job restores a project', () => {
    /** Returns 61 tasks of a restored project that its job has not brought back yet. */
    async function makeUnfinished(): Promise<{
      readonly project: string;
      readonly tasks: readonly string[];
    }> {
      const project = await make('project', { organizationId: null });
      const tasks = [await makeTask({ projectId: project, description: 'x'.repeat(500) })];
      for (let number = 0; number < 60; number += 1) tasks.push(await makeTask({ projectId: project }));
      await deleteEntity(fresh(), 'project', project);
      await restoreEntity(fresh(), 'project', project);
      expect(await total(project)).toBe(0);
      return { project, tasks };
    }

    test('a task that is erased stays so, and the others come back', async () => {
      const { project, tasks } = await makeUnfinished();
      await eraseDeleted(fresh(), 'task', tasks[0] as string);
      await finishJobs();
      await expectErased(tasks[0] as string);
      expect(await total(project)).toBe(60);
    });

    test('the project exists, and cannot be erased', async () => {
      const { project } = await makeUnfinished();
      await expect(eraseDeleted(fresh(), 'project', project)).rejects.toThrow(EntityNotFound);
      await finishJobs();
      expect(await total(project)).toBe(61);
    });

    test('the project that is deleted again and erased takes its tasks along', async () => {
      const { project, tasks } = await makeUnfinished();
      await deleteEntity(fresh(), 'project', project);
      await eraseDeleted(fresh(), 'project', project);
      await finishJobs();
      expect(await deletedIds('task')).toEqual([]);
      expect((await listEntities(fresh(), 'task', listQuery({}))).total).toBe(0);
      for (const id of tasks.slice(0, 3)) await expectErased(id);
    });
  });

  test('while the job restores an organization, a project that is erased takes its tasks along', async () => {
    const organization = await make('organization');
    const project = await make('project', { organizationId: organization });
    const tasks = [await makeTask({ projectId: project, description: 'x'.repeat(500) })];
    for (let number = 0; number < 60; number += 1) tasks.push(await makeTask({ projectId: project }));
    await deleteEntity(fresh(), 'organization', organization);
    await finishJobs();
    await restoreEntity(fresh(), 'organization', organization);
    await restoreEntity(fresh(), 'project', project);
    await deleteEntity(fresh(), 'project', project);
    await eraseDeleted(fresh(), 'project', project);
    await finishJobs();
    expect((await listEntities(fresh(), 'task', listQuery({}))).total).toBe(0);
    for (const id of tasks.slice(0, 3)) await expectErased(id);
  });
});
