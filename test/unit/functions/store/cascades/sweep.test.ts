import { randomUUID } from 'node:crypto';
import { beginSweep, buildDelete, sweepChild, sweepStep } from '#functions/store/cascades/sweep.ts';
import { readEntityItem } from '#functions/store/entities/read-entity.ts';
import { buildCreate, buildRestore, buildUpdate } from '#functions/store/model/changes.ts';
import { newDeletion } from '#functions/store/model/deletion.ts';
import type { DeletedEntity, Deletion, StoredEntity } from '#functions/store/model/entity.ts';
import { decodeAnyEntity } from '#functions/store/model/item-codec.ts';
import type { Job, SweepWork } from '#functions/store/model/job.ts';
import { entityKey } from '#functions/store/model/keys.ts';
import { type Kind, relationOf } from '#functions/store/model/relations.ts';
import type { Item } from '#functions/store/model/writes.ts';
import { applyChangeSet, applyInBatches } from '#functions/store/unit-of-work/commit.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

const parentId = '01890000-0000-7000-8000-000000000001';
const otherId = '01890000-0000-7000-8000-000000000002';

const stored = (kind: Kind, fields: object = {}): StoredEntity => ({
  kind,
  version: 3,
  stamp: 1,
  entity: {
    id: '01890000-0000-7000-8000-000000000007',
    name: 'x',
    status: 'open',
    createdAt: '2023-07-04T00:00:00.000Z',
    updatedAt: '2023-07-04T00:00:00.000Z',
    ...fields,
  },
});

const step = { tenant: 'acme', nowMs: Date.parse('2026-02-03T04:05:06.789Z') };

/** The deletion of the parent. */
const deletion: Deletion = {
  deletedAt: step.nowMs - 1,
  deletedBy: 'ann',
  root: { kind: 'project', id: parentId },
};

describe('beginSweep', () => {
  const work = { type: 'sweep', kind: 'project', id: parentId, final: false, relation: 0 };

  test('begins the first sweep, due at once, under an id', () => {
    expect(beginSweep({ tenant: 'acme' }, 'project', parentId, 'sweep-1')).toMatchObject({
      put: { pk: 'acme#job#sweep-1', sk: 'job', version: 1, dueAt: '1970-01-01T00:00:00.000Z', work },
      condition: { expression: 'attribute_not_exists(pk)' },
    });
  });
});

describe('buildDelete', () => {
  test('deletes an entity without dependents, without a job', () => {
    const task = stored('task');
    expect(buildDelete(step, task, deletion, { includesChildren: false })).toEqual({
      changes: [{ before: task, after: { ...task, version: 4, deletion } }],
    });
  });

  test.each(['organization', 'project', 'user', 'tag'] as const)(
    'deletes a %s and begins the sweep of its dependents',
    (kind) => {
      const entity = stored(kind);
      const { changes, writes } = buildDelete(step, entity, deletion, { includesChildren: false });
      expect(changes).toEqual([{ before: entity, after: { ...entity, version: 4, deletion } }]);
      expect(writes).toEqual([
        expect.objectContaining({
          put: expect.objectContaining({
            work: { type: 'sweep', kind, id: entity.entity.id, final: false, relation: 0 },
          }),
        }),
      ]);
    },
  );
});

test('a deletion with all its children leaves the second sweep, after the request and those that saw the parent', () => {
  const { writes } = buildDelete(step, stored('project'), deletion, { includesChildren: true });
  expect(writes).toMatchObject([
    { put: { work: { final: true, relation: 0 }, dueAt: '2026-02-03T04:06:08.789Z' } },
  ]);
});

describe('sweepChild', () => {
  const parents = { deletions: new Map([[parentId, deletion]]), includesDescendants: false };

  test('deletes a child of a cascade, with the sweep of its own dependents', () => {
    const project = stored('project', { organizationId: parentId });
    const relation = relationOf('project', 'organization');
    const { changes, writes } = sweepChild(step, relation, project, parents);
    expect(changes).toEqual([{ before: project, after: { ...project, version: 4, deletion } }]);
    expect(writes).toHaveLength(1);
  });

  test('sets a reference to null', () => {
    const task = stored('task', { userId: parentId, projectId: otherId });
    const { changes, writes } = sweepChild(step, relationOf('task', 'user'), task, parents);
    expect(changes).toEqual([
      {
        before: task,
        after: {
          ...task,
          version: 4,
          entity: { ...task.entity, userId: null, updatedAt: '2026-02-03T04:05:06.789Z' },
        },
      },
    ]);
    expect(writes).toBeUndefined();
  });

  test('removes a reference from an array, and keeps the others in their order', () => {
    const task = stored('task', { tagIds: [otherId, parentId, '01890000-0000-7000-8000-000000000003'] });
    const { changes } = sweepChild(step, relationOf('task', 'tag'), task, parents);
    expect(changes[0]?.after?.entity['tagIds']).toEqual([otherId, '01890000-0000-7000-8000-000000000003']);
  });
});

describe('sweepStep', () => {
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

  const sweep = (kind: Kind, more: Partial<SweepWork> = {}): Job<SweepWork> => ({
    id: '1',
    tenant: session.tenant,
    version: 1,
    dueAt: '1970-01-01T00:00:00.000Z',
    work: { type: 'sweep', kind, id: parentId, final: false, relation: 0, ...more },
  });

  async function makeTasks(number: number, fields: object): Promise<string[]> {
    const changes = Array.from({ length: number }, () =>
      buildCreate(
        'task',
        {
          name: 'x',
          status: 'open',
          projectId: null,
          userId: null,
          tagIds: [],
          ...fields,
        },
        Date.now(),
      ),
    );
    const changeSets = changes.map((change) => ({ changes: [change] }));
    await applyInBatches(session, changeSets, 90);
    return changes.map(({ after }) => after.entity.id);
  }

  /** Returns the ids of the changed entities, sorted: a batch read returns items in any order. */
  const idsOf = ({ repeatable = [] }: Awaited<ReturnType<typeof sweepStep>>) =>
    repeatable.map(({ changes }) => changes[0]?.before?.entity.id).sort();

  test.each([
    ['project', { projectId: parentId }],
    ['user', { userId: parentId }],
    ['tag', { tagIds: [otherId, parentId] }],
  ] as const)(
    'changes the tasks of a %s, 100 in each step, and then takes the next relation',
    async (kind, fields) => {
      const ids = await makeTasks(120, fields);
      const first = await sweepStep(session, sweep(kind));
      expect(idsOf(first)).toEqual(ids.slice(0, 100));
      expect(first.left).toEqual(sweep(kind).work);
      await applyInBatches(session, first.repeatable ?? [], 25);
      const second = await sweepStep(session, sweep(kind));
      expect(idsOf(second)).toEqual(ids.slice(100));
      expect(second).toMatchObject({ left: { relation: 1 } });
      expect(second).not.toHaveProperty('dueAt');
    },
  );

  test('takes the relations of an organization one after the other: projects, users and tags', async () => {
    const kinds = ['project', 'user', 'tag'] as const;
    for (const kind of kinds) {
      const change = buildCreate(kind, { name: 'x', status: 'open', organizationId: parentId }, Date.now());
      await applyChangeSet(session, { changes: [change] });
    }
    for (const [relation, kind] of kinds.entries()) {
      const { repeatable, left } = await sweepStep(session, sweep('organization', { relation }));
      expect(repeatable?.map(({ changes }) => changes[0]?.before?.kind)).toEqual([kind]);
      expect(left).toEqual({ ...sweep('organization').work, relation: relation + 1 });
    }
  });

  test('passes the relations without children in one step', async () => {
    const change = buildCreate('tag', { name: 'x', status: 'open', organizationId: parentId }, Date.now());
    await applyChangeSet(session, { changes: [change] });
    const { repeatable, left } = await sweepStep(session, sweep('organization'));
    expect(repeatable?.map(({ changes }) => changes[0]?.before?.kind)).toEqual(['tag']);
    expect(left).toMatchObject({ relation: 3 });
    const other = store.session(randomUUID());
    expect(await sweepStep(other, sweep('organization', { final: true }))).toEqual({ left: undefined });
  });

  test('leaves a child alone that got another parent after the list was read', async () => {
    const [moved, kept] = await makeTasks(2, { projectId: parentId });
    const { database } = session;
    const getMany = database.getMany.bind(database);
    jest.spyOn(database, 'getMany').mockImplementationOnce(async (keys) => {
      const [item] = await getMany(keys.filter(({ pk }) => pk.endsWith(moved ?? '')));
      const { pk: _, sk: __, kind: ___, version, stamp, ...entity } = item as Record<string, unknown>;
      const before = { kind: 'task', version, stamp, entity } as unknown as StoredEntity;
      const other = store.session(session.tenant);
      await applyChangeSet(other, { changes: [buildUpdate(before, { projectId: otherId }, Date.now())] });
      return getMany(keys);
    });
    expect(idsOf(await sweepStep(session, sweep('project')))).toEqual([kept]);
  });

  /** Creates a project with a task, and deletes the project alone. Returns it, its task, and the deletion. */
  async function deleteProject(): Promise<readonly [StoredEntity, string, Deletion]> {
    const project = buildCreate('project', { name: 'x', status: 'open', organizationId: null }, Date.now());
    await applyChangeSet(session, { changes: [project] });
    const { id } = project.after.entity;
    const [task = ''] = await makeTasks(1, { projectId: id });
    const before = await readEntityItem(session, 'project', id);
    const own = newDeletion(before, 'ann', Date.now());
    await applyChangeSet(session, buildDelete(step, before, own, { includesChildren: false }));
    return [before, task, own];
  }

  test('deletes children as a part of the deletion of their parent', async () => {
    const [{ entity }, task, own] = await deleteProject();
    const { repeatable } = await sweepStep(session, sweep('project', { id: entity.id }));
    expect(repeatable?.flatMap(({ changes }) => changes)).toEqual([
      expect.objectContaining({
        after: expect.objectContaining({ entity: expect.objectContaining({ id: task }), deletion: own }),
      }),
    ]);
  });

  test('ends when the parent was restored', async () => {
    const [{ kind, entity }] = await deleteProject();
    const item = await session.database.get(entityKey(session.tenant, kind, entity.id), {
      withDeleted: true,
    });
    const deleted = decodeAnyEntity(item as Item) as DeletedEntity;
    await applyChangeSet(session, { changes: [buildRestore(deleted, {}, Date.now())] });
    expect(await sweepStep(session, sweep('project', { id: entity.id }))).toEqual({ left: undefined });
  });

  test('sweeps again after 32 seconds: the longest request and the difference of clocks', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-02-03T04:05:06.789Z'));
    expect(await sweepStep(session, sweep('project', { relation: 1 }))).toEqual({
      left: { ...sweep('project').work, final: true, relation: 0 },
      dueAt: '2026-02-03T04:05:38.789Z',
    });
  });

  test('ends after the second sweep', async () => {
    expect(await sweepStep(session, sweep('project', { final: true, relation: 1 }))).toEqual({
      left: undefined,
    });
  });
});
