/** Creates a large collection of tasks and its parents through the store, with realistic names, texts and relations. */

import type { Resource } from '../functions/contract/resource.ts';
import { buildCreate, buildDeletion, buildUpdate, type Change } from '../functions/engine/model/changes.ts';
import type { Fields, ItemFields, StoredEntity } from '../functions/engine/model/entity.ts';
import { decodeEntity } from '../functions/engine/model/item-codec.ts';
import { entityKey } from '../functions/engine/model/keys.ts';
import { applyChangeSet } from '../functions/engine/write/commit.ts';
import { organization } from '../functions/organizations/resource.ts';
import { project } from '../functions/projects/resource.ts';
import { forEach } from '../functions/runtime/for-each.ts';
import type { Kind } from '../functions/schema.ts';
import { tag } from '../functions/tags/resource.ts';
import { task } from '../functions/tasks/resource.ts';
import { user } from '../functions/users/resource.ts';
import { DataGenerator } from '../lib/seed/data.ts';
import { compactAll } from '../test/support/compaction.ts';
import type { TestStore } from '../test/support/local-store.ts';

/** The claim of tokens that names the tenant of the collection, and that of another one. */
export const tenantName = 'measured';
export const otherTenantName = 'other';

export const tenant = `@${tenantName}`;

/** Entities in one transaction. */
const batchSize = 50;

/** Transactions at the same time. */
const concurrency = 3;

/** Tasks after which compaction absorbs the log. */
const compactionInterval = 20_000;

/** Days over which the tasks were created. */
const days = 150;

/** The resources of parents, each after those that it refers to. */
const parents = { organizations: organization, users: user, tags: tag, projects: project };

type ParentPlural = keyof typeof parents;

const priorities = ['none', 'low', 'medium', 'high', 'urgent'];

const any = <Value>(values: readonly Value[]): Value =>
  values[Math.floor(Math.random() * values.length)] as Value;

/** Receives the entities of each transaction. */
type OnAdded = (resource: Resource, entities: readonly ItemFields[]) => Promise<void> | void;

/** How the tasks of a collection differ from those that the generator makes. */
export interface TaskForms {
  /** Returns the description of a task. */
  readonly describe?: () => string;
  /** Tags of each task, of a thousand. By default, it has up to three of sixty. */
  readonly tags?: number;
  /** Tasks that are deleted. */
  readonly deleted?: number;
}

type Creation = Change & { readonly after: StoredEntity };

/** Tasks and their parents in a table. A process can have one: ids never go back in time. */
export class TaskCollection {
  readonly #store: TestStore;
  readonly #generator: DataGenerator;
  readonly #ids: Record<ParentPlural | 'tasks', string[]>;
  readonly #parents: Record<ParentPlural, Creation[]>;
  readonly size: number;
  readonly #forms: TaskForms;
  #clock: number;

  /** @param size number of tasks. */
  constructor(store: TestStore, size: number, forms: TaskForms = {}) {
    this.#store = store;
    this.size = size;
    this.#forms = forms;
    const projects = Math.min(2_000, Math.max(20, Math.round(size / 200)));
    const amounts = { organizations: 20, users: 200, tags: forms.tags ? 1_000 : 60, projects, tasks: size };
    this.#generator = new DataGenerator(amounts, 1, new Date());
    this.#clock = Date.now() - (days + 1) * 86_400_000;
    this.#ids = { organizations: [], users: [], tags: [], projects: [], tasks: [] };
    this.#parents = { organizations: [], users: [], tags: [], projects: [] };
    this.#atClock(() => {
      for (const plural of Object.keys(parents) as ParentPlural[]) {
        for (let position = 0; position < amounts[plural]; position += 1) {
          const { kind, defaults } = parents[plural];
          const fields = { ...defaults, ...this.#generator[plural](position, this.#ids) };
          const creation = buildCreate(kind, fields as unknown as Fields, Date.now());
          this.#parents[plural].push(creation);
          this.#ids[plural].push(creation.after.entity.id);
        }
      }
    });
  }

  /**
   * Runs a function with the collection's clock as the clock of the process, which dates ids. Ids never go back
   * in time, so no id may be created before with the real clock.
   */
  #atClock<Result>(run: () => Result): Result {
    const now = Date.now;
    const restore = (): void => {
      Date.now = now;
    };
    Date.now = () => this.#clock;
    const result = run();
    if (result instanceof Promise) void result.finally(restore);
    else restore();
    return result;
  }

  /** The project, user and tag with many tasks. */
  get frequent(): { readonly project: string; readonly user: string; readonly tag: string } {
    const { projects, users, tags } = this.#ids;
    return { project: projects[0] ?? '', user: users[0] ?? '', tag: tags[0] ?? '' };
  }

  /** A project with few tasks. */
  get smallProject(): string {
    return this.#ids.projects.at(-1) ?? '';
  }

  /** A tag of few tasks. */
  get rareTag(): string {
    return this.#ids.tags.at(-1) ?? '';
  }

  /** The active projects, those with the most tasks first. */
  get activeProjects(): readonly string[] {
    const entities = this.#parents.projects.map(({ after }) => after.entity);
    return entities.flatMap(({ id, status }) => (status === 'active' ? [id] : []));
  }

  /** Returns the number of entities in a collection. */
  amountOf(plural: ParentPlural | 'tasks'): number {
    return this.#ids[plural].length;
  }

  #create(position: number): Creation {
    const { describe, tags } = this.#forms;
    const fields = {
      ...this.#generator.tasks(position, this.#ids),
      ...(describe && { description: describe() }),
      ...(tags && { tagIds: this.#someTags(tags) }),
    };
    const change = buildCreate('task', fields as unknown as Fields, Date.now());
    const { entity } = change.after;
    // Most tasks change last some days after their creation.
    const changedAt = Date.parse(entity.createdAt) + Math.random() ** 3 * days * 86_400_000;
    const updatedAt = new Date(Math.min(Date.now() + 86_400_000, changedAt)).toISOString();
    return { after: { ...change.after, entity: { ...entity, updatedAt } } };
  }

  /** Returns different tags, the first ones more often. */
  #someTags(count: number): string[] {
    const { tags } = this.#ids;
    const chosen = new Set<string>();
    while (chosen.size < count) chosen.add(tags[Math.floor(tags.length * Math.random() ** 2)] as string);
    return [...chosen];
  }

  /** Writes the parents and all tasks. */
  async load(onAdded: OnAdded): Promise<void> {
    await this.#atClock(async () => {
      for (const plural of Object.keys(parents) as ParentPlural[]) await this.#loadParents(plural, onAdded);
      for (let start = 0; start < this.size; start += compactionInterval) {
        const batches = this.#createBatches(start, Math.min(start + compactionInterval, this.size));
        await this.#apply(batches, (entities) => onAdded(task, entities));
        await this.#deleteSome(start);
        await this.compact();
      }
    });
  }

  /** Deletes some tasks, now by the real clock, in equal distances. @param start the number of the first task that may be deleted. */
  async #deleteSome(start: number): Promise<void> {
    const { deleted = 0 } = this.#forms;
    const before = (number: number): number => Math.floor((number * deleted) / this.size);
    const ids = this.#ids.tasks
      .slice(start)
      .filter((_, place) => before(start + place + 1) > before(start + place));
    const deletedAt = Math.floor(performance.timeOrigin + performance.now());
    for (let first = 0; first < ids.length; first += batchSize) {
      const keys = ids.slice(first, first + batchSize).map((id) => entityKey(tenant, 'task', id));
      const items = await this.#store.database(60_000).getMany(keys);
      const changes = items
        .map(decodeEntity)
        .map((stored) => buildDeletion(stored, { deletedAt, root: { kind: 'task', id: stored.entity.id } }));
      await applyChangeSet(this.#store.session(tenant), { changes });
    }
  }

  async #loadParents(plural: ParentPlural, onAdded: OnAdded): Promise<void> {
    const creations = this.#parents[plural];
    const batches = Array.from({ length: Math.ceil(creations.length / batchSize) }, (_, batch) =>
      creations.slice(batch * batchSize, (batch + 1) * batchSize),
    );
    await this.#apply(batches, (entities) => onAdded(parents[plural], entities));
    await this.compact(parents[plural].kind);
  }

  /** Applies each batch in a transaction. */
  async #apply(
    batches: Iterable<Creation[]>,
    onApplied: (entities: readonly ItemFields[]) => Promise<void> | void,
  ): Promise<void> {
    await forEach(batches, concurrency, async (changes) => {
      await applyChangeSet(this.#store.session(tenant), { changes });
      await onApplied(changes.map(({ after }) => after.entity));
    });
  }

  /** Creates tasks in their order, as many at a time as are in one transaction. */
  *#createBatches(start: number, end: number): Generator<Creation[]> {
    const intervalMs = (days * 86_400_000) / this.size;
    for (let first = start; first < end; first += batchSize) {
      const changes: Creation[] = [];
      for (let place = first; place < Math.min(first + batchSize, end); place += 1) {
        this.#clock += intervalMs;
        changes.push(this.#create(place));
      }
      for (const { after } of changes) this.#ids.tasks.push(after.entity.id);
      yield changes;
    }
  }

  /** Absorbs all records. @returns the write units. */
  async compact(kind: Kind = 'task'): Promise<number> {
    const database = this.#store.database(600_000);
    await compactAll(database, tenant, kind);
    return database.consumption.writeUnits;
  }

  /** Adds a project, moves random tasks into it, and compacts the log. @returns its id. */
  async addProject(tasks: number): Promise<string> {
    const { kind, defaults } = project;
    const fields = {
      ...defaults,
      name: 'A project',
      status: 'active',
      organizationId: any(this.#ids.organizations),
    };
    const creation = buildCreate(kind, fields, Date.now());
    await this.#write(creation);
    const projectId = creation.after.entity.id;
    for (let number = 0; number < tasks; number += 1)
      await this.#write(buildUpdate(await this.#anyTask(), { projectId }, Date.now()));
    await this.compact();
    return projectId;
  }

  /** Changes random tasks, each in a transaction of its own, as many requests do. */
  async update(count: number): Promise<void> {
    for (let number = 0; number < count; number += 1) {
      await this.#write(buildUpdate(await this.#anyTask(), { priority: any(priorities) }, Date.now()));
    }
  }

  /** Gives another tenant small tasks, in columns: a process that has listed them has compiled its code. */
  async fillOther(count: number): Promise<void> {
    const other = `@${otherTenantName}`;
    await this.createSmall(count, other);
    await compactAll(this.#store.database(600_000), other, 'task');
  }

  /** Creates tasks with a name and a status alone. @returns their ids. */
  async createSmall(count: number, owner = tenant): Promise<string[]> {
    const changes = Array.from({ length: count }, (_, number) => {
      const fields = { ...task.defaults, name: `Task ${number}`, status: 'planned' };
      return buildCreate('task', fields as unknown as Fields, Date.now());
    });
    for (let start = 0; start < count; start += batchSize)
      await applyChangeSet(this.#store.session(owner), { changes: changes.slice(start, start + batchSize) });
    return changes.map(({ after }) => after.entity.id);
  }

  /** Changes the priority of tasks, each in a transaction of its own. */
  async updateEach(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const before = await this.#find(id);
      if (before) await this.#write(buildUpdate(before, { priority: any(priorities) }, Date.now()));
    }
  }

  /** Changes the first tasks, in transactions of up to 25. */
  async updateInBatches(count: number): Promise<void> {
    for (let start = 0; start < count; start += 25) {
      const ids = this.#ids.tasks.slice(start, Math.min(start + 25, count));
      const items = await this.#store.database().getMany(ids.map((id) => entityKey(tenant, 'task', id)));
      const changes = items.map((item) =>
        buildUpdate(decodeEntity(item), { priority: any(priorities) }, Date.now()),
      );
      await applyChangeSet(this.#store.session(tenant), { changes });
    }
  }

  async #find(id: string): Promise<StoredEntity | undefined> {
    const item = await this.#store.database().get(entityKey(tenant, 'task', id));
    return item && decodeEntity(item);
  }

  async #anyTask(): Promise<StoredEntity> {
    const id = any(this.#ids.tasks);
    const found = await this.#find(id);
    if (found) return found;
    // It was deleted with its project.
    this.#ids.tasks.splice(this.#ids.tasks.indexOf(id), 1);
    return this.#anyTask();
  }

  /** Writes a change in a transaction of its own. @returns the write units. */
  async #write(change: Change): Promise<number> {
    const session = this.#store.session(tenant);
    await applyChangeSet(session, { changes: [change] });
    return session.database.consumption.writeUnits;
  }

  /**
   * Creates, changes or deletes a task.
   * @param number decides what: of 20 consecutive numbers, six create, ten change a field, three change the status and one deletes.
   * @returns the write units.
   */
  async writeAny(number: number): Promise<number> {
    const kind = number % 20;
    if (kind < 6) {
      const fields = this.#generator.tasks(number, this.#ids) as unknown as Fields;
      const change = buildCreate('task', fields, Date.now());
      this.#ids.tasks.push(change.after.entity.id);
      return this.#write(change);
    }
    const before = await this.#anyTask();
    if (kind < 16) return this.#write(buildUpdate(before, this.#anyField(kind), Date.now()));
    if (kind < 19)
      return this.#write(
        buildUpdate(before, { status: any(['planned', 'active', 'completed']) }, Date.now()),
      );
    this.#ids.tasks.splice(this.#ids.tasks.indexOf(before.entity.id), 1);
    return this.#write({ before });
  }

  /** Returns another value of one field. */
  #anyField(kind: number): Readonly<Record<string, unknown>> {
    const { name, description, dueDate } = this.#generator.tasks(0, this.#ids);
    const fields = [
      { priority: any(priorities) },
      { dueDate },
      { userId: any(this.#ids.users) },
      { name },
      { description },
    ];
    return fields[kind % fields.length] ?? {};
  }
}
