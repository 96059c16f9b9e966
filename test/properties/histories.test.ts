import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import type { Service } from '#lib/local/service.ts';
import { type Client, createClient, type HistoryEntry } from '../../client/index.ts';
import { startTestService } from '../support/local-service.ts';
import { runs } from '../support/runs.ts';

/**
 * A history replayed backwards from the entity as it is reaches the entity as it was created, and on the way each version that a response had: for
 * random requests, batches, deletions that change others, restores, and jobs.
 */

type Plural = 'organizations' | 'projects' | 'users' | 'tags' | 'tasks';

interface Shown {
  readonly id: string;
  readonly updatedAt: string;
  readonly [field: string]: unknown;
}

interface Collection {
  create(fields: object): Promise<Shown>;
  get(id: string): Promise<Shown>;
  update(id: string, changes: object): Promise<Shown>;
  delete(id: string): Promise<void>;
  batch(operations: readonly object[]): Promise<readonly (Shown | undefined)[]>;
  history(id: string, options: object): Promise<{ data: HistoryEntry<Shown>[]; cursor: string | null }>;
}

let service: Service;
let client: Client;

beforeAll(async () => {
  service = await startTestService();
  client = createClient({ url: service.url });
});

afterAll(() => service.stop());

const collection = (plural: Plural): Collection => client[plural] as unknown as Collection;

async function restore(plural: Plural, id: string): Promise<Shown> {
  const response = await fetch(`${service.url}/v1/${plural}/${id}/restore`, { method: 'POST' });
  expect(response.status).toBe(200);
  return (await response.json()) as Shown;
}

const shownCharacters = 100;

/** Returns a value as a history shows it. */
const cut = (field: string, value: unknown): unknown =>
  field === 'description' ? [...String(value)].slice(0, shownCharacters).join('') : value;

/** Returns the fields that histories have, and the id. */
const shownFields = ({ createdAt: _createdAt, updatedAt: _updatedAt, version: _version, ...fields }: Shown) =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, cut(field, value)]));

async function readHistory(plural: Plural, id: string): Promise<HistoryEntry<Shown>[]> {
  const entries: HistoryEntry<Shown>[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const { data, cursor } = await collection(plural).history(id, { after, limit: 3 });
    entries.push(...data);
    after = cursor;
  }
  return entries;
}

/** Entities, and all versions of them that responses had. */
class World {
  readonly #versions = new Map<string, { readonly plural: Plural; readonly shown: Map<string, Shown> }>();
  readonly #deleted = new Set<string>();

  note(plural: Plural, entity: Shown | undefined): void {
    if (!entity) return;
    const known = this.#versions.get(entity.id) ?? { plural, shown: new Map<string, Shown>() };
    known.shown.set(entity.updatedAt, entity);
    this.#versions.set(entity.id, known);
  }

  noteDeleted(id: string): void {
    this.#deleted.add(id);
  }

  noteRestored(plural: Plural, entity: Shown): void {
    this.#deleted.delete(entity.id);
    this.note(plural, entity);
  }

  /** Returns one of the entities of a collection that a request has deleted. */
  pickDeleted(plural: Plural, choice: number): string | undefined {
    const ids = [...this.#deleted].filter((id) => this.#versions.get(id)?.plural === plural);
    return ids[choice % Math.max(1, ids.length)];
  }

  /** Returns one of the entities of a collection that no request deleted. */
  pick(plural: Plural, choice: number): string | undefined {
    const ids = [...this.#versions].flatMap(([id, known]) =>
      known.plural === plural && !this.#deleted.has(id) ? [id] : [],
    );
    return ids[choice % Math.max(1, ids.length)];
  }

  get entities(): readonly { id: string; plural: Plural; shown: ReadonlyMap<string, Shown> }[] {
    return [...this.#versions].map(([id, known]) => ({ id, ...known }));
  }
}

/** Checks the order of operations, the newest first: an entity is created once, and each deletion was followed by a restore. */
function checkOperations(operations: readonly string[]): void {
  expect(operations.lastIndexOf('create')).toBe(operations.length - 1);
  expect(operations.indexOf('create')).toBe(operations.length - 1);
  for (const [place, operation] of operations.entries()) {
    if (operation === 'delete') expect(operations[place - 1]).toBe('restore');
    if (operation === 'restore') expect(operations[place + 1]).toBe('delete');
  }
}

/** Replays the history of an entity backwards, and compares it with the versions that responses had. Returns the number of changes. */
async function replay(plural: Plural, id: string, shown: ReadonlyMap<string, Shown>): Promise<number> {
  const current = await collection(plural).get(id);
  const entries = await readHistory(plural, id);
  const state = new Map<string, unknown>(Object.entries(shownFields(current)));
  let seen = 0;
  checkOperations(entries.map(({ operation }) => operation));
  for (const [place, { version, time, operation, changes }] of entries.entries()) {
    expect(version).toBe(entries.length - place);
    const known = operation === 'delete' ? undefined : shown.get(time);
    // Two changes can have the same time: the later one has the version that the response had.
    if (known && entries[place - 1]?.time !== time && entries[place + 1]?.time !== time) {
      expect(Object.fromEntries(state)).toEqual(shownFields(known));
      seen += 1;
    }
    for (const [field, change] of Object.entries(changes)) {
      expect([field, state.get(field)]).toEqual([field, change?.to]);
      if (change && 'from' in change) state.set(field, change.from);
      else state.delete(field);
    }
  }
  expect([...state]).toEqual([['id', id]]);
  expect(seen).toBeGreaterThan(0);
  return entries.length;
}

/** Reads all that exist, with what jobs made and changed, until their number and versions do not change any more. */
async function settle(world: World): Promise<void> {
  let before = '';
  for (;;) {
    const read: string[] = [];
    for (const plural of ['organizations', 'projects', 'users', 'tags', 'tasks'] as const) {
      for await (const entity of (client[plural] as Client['tags']).iterate()) {
        world.note(plural, entity as unknown as Shown);
        read.push(`${entity.id} ${entity.updatedAt}`);
      }
    }
    const now = read.join();
    if (now === before) return;
    before = now;
    await delay(3_000);
  }
}

async function existing(plural: Plural): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { id } of (client[plural] as Client['tags']).iterate()) ids.add(id);
  return ids;
}

const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('x'.repeat(99), `${'é'.repeat(100)}1`, `${'é'.repeat(100)}2`, '😀'.repeat(300)),
);
const choice = fc.nat(1_000);
const fields = fc.record(
  {
    name: fc.constantFrom('a', 'b', 'é'.repeat(255)),
    status: fc.constantFrom('active', 'done', 'archived'),
    description: text,
    projectId: fc.option(choice),
    userId: fc.option(choice),
    tagIds: fc.uniqueArray(choice, { maxLength: 3 }),
    dueDate: fc.option(fc.constantFrom('2026-01-01', '2026-02-28')),
  },
  { requiredKeys: [] },
);

type Step =
  | { readonly type: 'task'; readonly fields: Partial<Record<string, unknown>> }
  | { readonly type: 'update'; readonly of: number; readonly fields: Partial<Record<string, unknown>> }
  | {
      readonly type: 'batch';
      readonly of: readonly number[];
      readonly fields: Partial<Record<string, unknown>>;
    }
  | { readonly type: 'rename'; readonly plural: Plural; readonly of: number; readonly name: string }
  | { readonly type: 'delete' | 'restore'; readonly plural: Plural; readonly of: number }
  | { readonly type: 'clone'; readonly of: number }
  | { readonly type: 'archive' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('task' as const), fields }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('update' as const), of: choice, fields }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('batch' as const),
      of: fc.array(choice, { minLength: 1, maxLength: 5 }),
      fields,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('rename' as const),
      plural: fc.constantFrom<Plural>('projects', 'users', 'tags', 'organizations'),
      of: choice,
      name: fc.constantFrom('a', 'b', 'c'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom('delete' as const, 'restore' as const),
      plural: fc.constantFrom<Plural>('tasks', 'users', 'tags'),
      of: choice,
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('clone' as const), of: choice }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('archive' as const) }) },
);

/** Returns fields with ids in the place of choices. */
function resolve(world: World, { projectId, userId, tagIds, ...others }: Partial<Record<string, unknown>>) {
  const one = (plural: Plural, of: unknown) =>
    typeof of === 'number' ? (world.pick(plural, of) ?? null) : null;
  return {
    ...others,
    ...(projectId !== undefined && { projectId: one('projects', projectId) }),
    ...(userId !== undefined && { userId: one('users', userId) }),
    ...(tagIds !== undefined && {
      tagIds: [...new Set((tagIds as number[]).map((of) => one('tags', of)).filter((id) => id !== null))],
    }),
  };
}

async function updateOne(world: World, plural: Plural, of: number, changes: object): Promise<void> {
  const id = world.pick(plural, of);
  if (id !== undefined) world.note(plural, await collection(plural).update(id, changes));
}

async function apply(world: World, one: Step, organizationId: string): Promise<void> {
  switch (one.type) {
    case 'task':
      return world.note(
        'tasks',
        await collection('tasks').create({ name: 'x', ...resolve(world, one.fields) }),
      );
    case 'update':
      return updateOne(world, 'tasks', one.of, resolve(world, one.fields));
    case 'batch': {
      const ids = new Set(one.of.flatMap((of) => world.pick('tasks', of) ?? []));
      const body = resolve(world, one.fields);
      const updates = [...ids].map((id) => ({ operation: 'update', id, body }));
      const created = { operation: 'create', body: { name: 'created in a batch', ...body } };
      const results = await collection('tasks').batch([created, ...updates]);
      for (const result of results) world.note('tasks', result);
      return;
    }
    case 'rename':
      return updateOne(world, one.plural, one.of, { name: one.name });
    case 'delete': {
      const id = world.pick(one.plural, one.of);
      if (id === undefined) return;
      await collection(one.plural).delete(id);
      world.noteDeleted(id);
      return;
    }
    case 'restore': {
      const id = world.pickDeleted(one.plural, one.of);
      if (id !== undefined) world.noteRestored(one.plural, await restore(one.plural, id));
      return;
    }
    case 'clone': {
      const id = world.pick('projects', one.of);
      if (id !== undefined) world.note('projects', (await client.projects.clone(id)) as unknown as Shown);
      return;
    }
    case 'archive':
      await client.organizations.archive(organizationId);
  }
}

test('a history replayed backwards reaches the creation, by way of all versions', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: runs(30, 60) }), async (steps) => {
      const world = new World();
      const make = async (plural: Plural, more: object = {}): Promise<string> => {
        const entity = await collection(plural).create({ name: 'x', ...more });
        world.note(plural, entity);
        return entity.id;
      };
      const organizationId = await make('organizations');
      for (const plural of ['projects', 'projects', 'users', 'tags', 'tags', 'tasks'] as const)
        await make(plural, plural === 'projects' ? { organizationId } : {});
      for (const one of steps) await apply(world, one, organizationId);
      for (const { id, plural, shown } of world.entities)
        if ((await existing(plural)).has(id)) await replay(plural, id, shown);
    }),
    { numRuns: runs(3, 20), endOnFailure: true },
  );
});

test('the changes of jobs are in the histories of all entities: a clone, an archive, and a tag that is removed', async () => {
  const world = new World();
  const organization = await client.organizations.create({ name: 'x' });
  const project = await client.projects.create({ name: 'x', organizationId: organization.id });
  const tag = await client.tags.create({ name: 'x' });
  const task = { operation: 'create', body: { name: 'x', projectId: project.id, tagIds: [tag.id] } } as const;
  const other = { operation: 'create', body: { name: 'x', organizationId: organization.id } } as const;
  const twentyFive = <Operation>(one: Operation) => Array.from({ length: 25 }, () => one);
  for (let batch = 0; batch < 5; batch += 1) {
    await client.tasks.batch(twentyFive(task));
    await client.projects.batch(twentyFive(other));
  }
  const clone = await client.projects.clone(project.id);
  await client.organizations.archive(organization.id);
  await client.tags.delete(tag.id);
  await settle(world);
  const lengths: number[] = [];
  const own = new Set([organization.id, project.id, clone.id]);
  for (const { id, plural, shown } of world.entities) {
    const entity = [...shown.values()].at(-1);
    const isOwn = own.has(id) || own.has(String(entity?.['projectId'] ?? entity?.['organizationId']));
    if (isOwn) lengths.push(await replay(plural, id, shown));
  }
  // The organization, its projects and the clone were archived, and the tag was removed from all tasks.
  expect(lengths.length).toBe(1 + 125 + 2 + 2 * 125);
  expect(new Set(lengths)).toEqual(new Set([2]));
});

test('a deletion and a restore are in the histories of all that they remove and bring back', async () => {
  const organization = await client.organizations.create({ name: 'x' });
  const project = await client.projects.create({ name: 'x', organizationId: organization.id });
  const task = await client.tasks.create({ name: 'x', projectId: project.id, description: 'é'.repeat(500) });
  await client.projects.delete(project.id);
  await restore('projects', project.id);
  await client.tasks.update(task.id, { name: 'y' });
  const operations = (await readHistory('tasks', task.id)).map(({ operation }) => operation);
  expect(operations).toEqual(['update', 'restore', 'delete', 'create']);
  await replay('tasks', task.id, new Map([[task.updatedAt, task as unknown as Shown]]));
  await replay('projects', project.id, new Map([[project.updatedAt, project as unknown as Shown]]));
});
