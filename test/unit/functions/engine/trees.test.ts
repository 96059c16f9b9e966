/** Trees of tasks, compared with a model in memory: random creations, moves, batches, deletions, restores and clones. */
import { v7 as uuidv7 } from 'uuid';
import { applyBatch, type BatchOperation } from '#functions/engine/batches/apply-batch.ts';
import { deleteEntity } from '#functions/engine/deletions/delete-entity.ts';
import { restoreEntity } from '#functions/engine/deletions/restore.ts';
import { readJobs } from '#functions/engine/due-work/read-jobs.ts';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { updateEntity } from '#functions/engine/entities/update-entity.ts';
import { readChildIds } from '#functions/engine/lists/children.ts';
import { listEntities } from '#functions/engine/lists/list-entities.ts';
import { buildUpdate } from '#functions/engine/model/changes.ts';
import { BatchFailed, ContradictingField } from '#functions/engine/model/errors.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { applyChangeSet } from '#functions/engine/write/commit.ts';
import { continueJob } from '#functions/jobs/continue-job.ts';
import { cloneProjectWithTasks } from '#functions/projects/clone.ts';
import { Random } from '#test/simulation/random.ts';
import { listQuery, sortedBy } from '#test/support/list-queries.ts';
import { startTestStore } from '#test/support/local-store.ts';
import { runs } from '#test/support/runs.ts';

interface Task {
  parent: string | null;
  /** The parent that it gets again when that is restored. */
  kept?: string | undefined;
  project: string | null;
  /** The task whose deletion has removed it. */
  deletedBy?: string | undefined;
}

type Model = Map<string, Task>;

const isAlive = (model: Model, id: string | null): boolean =>
  id !== null && model.get(id)?.deletedBy === undefined;

const living = (model: Model): string[] => [...model.keys()].filter((id) => isAlive(model, id));

/** Returns a task and what is above it; more than ten if it is below itself. */
function pathOf(model: Model, id: string | null): string[] {
  const path: string[] = [];
  for (let next = id; next !== null && path.length < 20; next = model.get(next)?.parent ?? null)
    path.push(next);
  return path;
}

/** Returns whether a request makes a tree too deep or a cycle: a task that it moves is in it. */
function isTooDeep(model: Model, next: Model): boolean {
  const isMoved = (id: string): boolean => {
    const parent = next.get(id)?.parent ?? null;
    return parent !== null && parent !== model.get(id)?.parent;
  };
  return living(next).some((id) => pathOf(next, id).some(isMoved) && pathOf(next, id).length > 10);
}

/** Returns a model after a request; `undefined` when the request is refused. */
function apply(model: Model, operations: readonly BatchOperation[]): Model | undefined {
  const next: Model = new Map([...model].map(([id, task]) => [id, { ...task }]));
  const deleted = operations.flatMap((one) => (one.operation === 'delete' ? one.id : []));
  const changed = operations.flatMap((one) => ('fields' in one ? one : []));
  const formerOf = (id: string): string | null => model.get(id)?.parent ?? null;
  for (const { id = '', fields } of changed) {
    const project = (fields['projectId'] ?? model.get(id)?.project ?? null) as string | null;
    const parent = fields['parentId'] as string | null;
    const former = model.get(id);
    next.set(id, { project, parent, ...(former?.parent === parent && { kept: former.kept }) });
  }
  const isInvalid = changed.some(({ id = '' }) => {
    const above = [...pathOf(next, id), ...pathOf(next, formerOf(id))];
    return above.some((one) => deleted.includes(one));
  });
  for (const id of living(next)) {
    const root = pathOf(next, id).find((one) => deleted.includes(one));
    if (root) (next.get(id) as Task).deletedBy = root;
  }
  return isInvalid || isTooDeep(model, next) ? undefined : next;
}

/** Restores a task: with what its deletion has removed, if the request named the task, and otherwise with what that has removed below it. */
function restoreIn(model: Model, id: string): void {
  const ofRoot = model.get(id) as Task;
  const { deletedBy } = ofRoot;
  const members = [...model].flatMap(([one, task]) => (task.deletedBy === deletedBy ? one : []));
  const back = members.filter((one) => deletedBy === id || pathOf(model, one).includes(id));
  if (ofRoot.parent !== null && !isAlive(model, ofRoot.parent))
    Object.assign(ofRoot, { parent: null, kept: ofRoot.parent });
  const fateOf = (one: string): string | undefined => {
    const { parent } = model.get(one) as Task;
    if (one === id || parent === null) return undefined;
    return back.includes(parent) ? fateOf(parent) : model.get(parent)?.deletedBy;
  };
  const fates = back.map((one) => [one, fateOf(one)] as const);
  for (const [one, fate] of fates) (model.get(one) as Task).deletedBy = fate;
  for (const one of living(model)) {
    const task = model.get(one) as Task;
    if (task.kept !== undefined && isAlive(model, task.kept))
      Object.assign(task, { parent: task.kept, kept: undefined });
  }
}

const store = startTestStore();

afterEach(() => {
  jest.restoreAllMocks();
});

async function finishJobs(): Promise<void> {
  for (
    let jobs = await readJobs(store.database());
    jobs.length > 0;
    jobs = await readJobs(store.database())
  ) {
    for (const job of jobs) await continueJob(store.database(), job, { owner: 'test' });
    const later = Date.now() + 70_000;
    jest.spyOn(Date, 'now').mockReturnValue(later);
  }
}

async function readTasks(session: Session): Promise<[string, string | null, string | null][]> {
  const tasks: [string, string | null, string | null][] = [];
  for (let page = 1; ; page += 1) {
    const query = listQuery({ sort: sortedBy('id', 'asc'), limit: 100, page });
    const { entities, total } = await listEntities(session, 'task', query);
    tasks.push(
      ...entities.map(({ id, parentId, projectId }) => [id, parentId, projectId] as (typeof tasks)[0]),
    );
    if (tasks.length >= total) return tasks;
  }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof ContradictingField || error instanceof BatchFailed;

const common = { name: 'x', status: 'open', userId: null, tagIds: [] };

const counts = { applied: 0, refused: 0, deepest: 0 };

/** Random requests, one after the other, and the model of what they do. */
class RandomTrees {
  readonly #random: Random;
  readonly #tenant: string;
  readonly #projects: string[] = [];
  #model: Model = new Map();

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#tenant = `trees-${seed}`;
  }

  get #session(): Session {
    return store.session(this.#tenant);
  }

  async begin(): Promise<void> {
    const project = await createEntity(this.#session, 'project', { ...common, organizationId: null });
    this.#projects.push(project.entity.id);
  }

  async step(): Promise<void> {
    const deleted = [...this.#model.keys()].filter((id) => !isAlive(this.#model, id));
    const dice = this.#random.next();
    if (dice < 0.15 && deleted.length > 0) await this.#restore(this.#random.pick(deleted));
    else if (dice < 0.18) await this.#clone(this.#random.pick(this.#projects));
    else await this.#write(this.#operations());
    await finishJobs();
    const expected = living(this.#model).map((id) => {
      const { parent, project } = this.#model.get(id) as Task;
      counts.deepest = Math.max(counts.deepest, pathOf(this.#model, id).length);
      return [id, parent, project];
    });
    expect(await readTasks(this.#session)).toEqual(expected.sort());
  }

  /** Returns a task, often a deep one. */
  #parent(): string | null {
    const some = Array.from({ length: 3 }, () => this.#random.pick([null, ...living(this.#model)]));
    const depth = (id: string | null): number => pathOf(this.#model, id).length;
    return some.sort((one, other) => depth(other) - depth(one))[0] ?? null;
  }

  #operations(): BatchOperation[] {
    const fields = () => ({
      ...common,
      parentId: this.#parent(),
      projectId: this.#random.pick([null, ...this.#projects]),
    });
    const others = living(this.#model)
      .filter(() => this.#random.chance(3 / this.#model.size))
      .map((id): BatchOperation => {
        if (this.#random.chance(0.2)) return { operation: 'delete', id, expected: undefined };
        return { operation: 'update', id, expected: undefined, fields: { parentId: this.#parent() } };
      });
    const created: BatchOperation = {
      operation: 'create',
      id: uuidv7({ msecs: Date.now() }),
      fields: fields(),
    };
    return [created, ...others].slice(-3);
  }

  async #write(operations: readonly BatchOperation[]): Promise<void> {
    const next = apply(this.#model, operations);
    const error: unknown = await send(this.#session, operations).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error !== undefined && !isRefusal(error)) throw error;
    expect([operations, error === undefined]).toEqual([operations, next !== undefined]);
    counts[next ? 'applied' : 'refused'] += 1;
    this.#model = next ?? this.#model;
  }

  async #restore(id: string): Promise<void> {
    await restoreEntity(this.#session, 'task', id);
    restoreIn(this.#model, id);
  }

  async #clone(from: string): Promise<void> {
    const clone = await cloneProjectWithTasks(this.#session, from, undefined, { includesTasks: true });
    const to = clone.entity.id;
    this.#projects.push(to);
    const originals = living(this.#model).filter((id) => this.#model.get(id)?.project === from);
    const copies = (await readTasks(this.#session)).flatMap(([id, , project]) => (project === to ? id : []));
    const copyOf = new Map<string | null, string>(
      originals.sort().map((id, place) => [id, copies[place] ?? '']),
    );
    for (const id of originals) {
      const { parent } = this.#model.get(id) as Task;
      this.#model.set(copyOf.get(id) ?? '', { project: to, parent: copyOf.get(parent) ?? parent });
    }
  }
}

/** Sends one operation as a request of its own, and several as a batch. */
function send(session: Session, operations: readonly BatchOperation[]): Promise<unknown> {
  const [one] = operations;
  if (!one || operations.length > 1 || one.operation === 'invalid')
    return applyBatch(session, 'task', operations);
  if (one.operation === 'create') return createEntity(session, 'task', one.fields, one.id);
  if (one.operation === 'delete') return deleteEntity(session, 'task', one.id);
  return updateEntity(session, { kind: 'task', id: one.id }, one.fields, readChildIds);
}

test.each(Array.from({ length: runs(3, 30) }, (_, seed) => seed))(
  'random trees are as in the model: seed %i',
  async (seed) => {
    const trees = new RandomTrees(seed);
    await trees.begin();
    for (let step = 0; step < 120; step += 1) await trees.step();
  },
);

test('the random requests were applied and refused, and made trees of ten levels', () => {
  expect(counts.applied).toBeGreaterThan(50);
  expect(counts.refused).toBeGreaterThan(10);
  expect(counts.deepest).toBeGreaterThanOrEqual(10);
});

test('a clone, a deletion and a restore of a cycle, which requests at the same time have made, end', async () => {
  const session = (): Session => store.session('cycle');
  const project = await createEntity(session(), 'project', { ...common, organizationId: null });
  const fields = { ...common, projectId: project.entity.id, parentId: null };
  const [one, other] = [
    await createEntity(session(), 'task', fields),
    await createEntity(session(), 'task', fields),
  ];
  const [id, otherId] = [one.entity.id, other.entity.id];
  const changes = [
    buildUpdate(one, { parentId: otherId }, Date.now()),
    buildUpdate(other, { parentId: id }, Date.now()),
  ];
  await applyChangeSet(session(), { changes });
  const below = createEntity(session(), 'task', { ...fields, parentId: id });
  await expect(below).rejects.toThrow(
    `The task ${id} is in a cycle, below itself. Set its parentId to null.`,
  );
  await cloneProjectWithTasks(session(), project.entity.id, undefined, { includesTasks: true });
  const copies = (await readTasks(session())).filter(([, , projectId]) => projectId !== project.entity.id);
  expect(copies).toHaveLength(2);
  await deleteEntity(session(), 'task', id);
  await finishJobs();
  expect(await readTasks(session())).toEqual(copies);
  await restoreEntity(session(), 'task', id);
  await finishJobs();
  const restored = [
    [id, otherId, project.entity.id],
    [otherId, id, project.entity.id],
  ];
  expect(await readTasks(session())).toEqual([...restored, ...copies]);
  // By itself, of the deletion of its project.
  await deleteEntity(session(), 'project', project.entity.id);
  await finishJobs();
  await restoreEntity(session(), 'task', id);
  await finishJobs();
  const alone = restored.map(([task, parent]) => [task, parent, null]);
  expect(await readTasks(session())).toEqual([...alone, ...copies]);
});

test('a batch that moves tasks of one tree walks through it once', async () => {
  const session = (): Session => store.session('walk');
  const ids = Array.from({ length: 10 }, () => uuidv7());
  const create = (id: string, level: number): BatchOperation => {
    const fields = { ...common, projectId: null, parentId: ids[level - 1] ?? null };
    return { operation: 'create', id, fields };
  };
  await applyBatch(session(), 'task', ids.slice(0, 9).map(create));
  /** Moves so many tasks up by one level, or back. @returns the calls. */
  const callsOf = async (moved: number, levels: number): Promise<number> => {
    const operations = ids.slice(2, 2 + moved).map((id, place): BatchOperation => {
      const fields = { parentId: ids[1 + place - levels] ?? '' };
      return { operation: 'update', id, expected: undefined, fields };
    });
    const { database } = session();
    await applyBatch({ ...session(), database }, 'task', operations);
    return database.consumption.calls;
  };
  const [one, , several] = [await callsOf(1, 1), await callsOf(1, 0), await callsOf(7, 1)];
  expect(several).toBeLessThanOrEqual(one);
});

test('a task is not moved by what cannot read the levels below it', async () => {
  const session = startTestStore().session('tenant');
  const task = { name: 'x', status: 'active' } as const;
  const above = await createEntity(session, 'task', task);
  const { entity } = await createEntity(session, 'task', task);
  const move = (readBelow?: typeof readChildIds) =>
    updateEntity(session, { kind: 'task', id: entity.id }, { parentId: above.entity.id }, readBelow);
  await expect(move()).rejects.toThrow('A change that moves a task needs "readBelow"');
  expect((await move(readChildIds)).entity['parentId']).toBe(above.entity.id);
});
