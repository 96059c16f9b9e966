/** Creates a large collection of tasks through the store, with realistic names, texts and relations. */

import { forEach } from '../functions/shared/for-each.ts';
import { buildCreate, buildUpdate, type Change } from '../functions/shared/store/model/changes.ts';
import type { Fields, StoredEntity } from '../functions/shared/store/model/entity.ts';
import { decodeEntity } from '../functions/shared/store/model/item-codec.ts';
import { entityKey } from '../functions/shared/store/model/keys.ts';
import { applyChangeSet } from '../functions/shared/store/unit-of-work/commit.ts';
import { DataGenerator } from '../lib/seed/data.ts';
import { compactAll } from '../test/support/compaction.ts';
import type { TestStore } from '../test/support/local-store.ts';

export const tenant = 'public';

/** Entities in one transaction. */
const batchSize = 50;

/** Transactions at the same time. */
const concurrency = 3;

/** Tasks after which compaction absorbs the log. */
const compactionInterval = 20_000;

/** Days over which the tasks were created. */
const days = 150;

const parents = ['organizations', 'users', 'tags', 'projects'] as const;

const priorities = ['none', 'low', 'medium', 'high', 'urgent'];

const any = <Value>(values: readonly Value[]): Value =>
  values[Math.floor(Math.random() * values.length)] as Value;

/** A task, as PostgreSQL gets it. */
export interface Task {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly priority: string;
  readonly description: string;
  readonly projectId: string | null;
  readonly userId: string | null;
  readonly dueDate: string | null;
  readonly tagIds: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Tasks in a table. Their parents exist by id only: no list reads them. A process can have one: ids never go back in time. */
export class TaskCollection {
  readonly #store: TestStore;
  readonly #generator: DataGenerator;
  readonly #ids: Record<'organizations' | 'users' | 'tags' | 'projects' | 'tasks', string[]>;
  readonly size: number;
  #clock: number;

  /** @param size number of tasks. */
  constructor(store: TestStore, size: number) {
    this.#store = store;
    this.size = size;
    const projects = Math.min(2_000, Math.max(20, Math.round(size / 200)));
    const amounts = { organizations: 20, users: 200, tags: 60, projects, tasks: size };
    this.#generator = new DataGenerator(amounts, 1, new Date());
    this.#clock = Date.now() - (days + 1) * 86_400_000;
    this.#ids = { organizations: [], users: [], tags: [], projects: [], tasks: [] };
    this.#atClock(() => {
      for (const kind of parents) {
        for (let position = 0; position < amounts[kind]; position += 1) {
          const fields = this.#generator[kind](position, this.#ids) as unknown as Fields;
          this.#ids[kind].push(buildCreate('project', fields).after.entity.id);
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

  #create(position: number): Change & { readonly after: StoredEntity } {
    const change = buildCreate('task', this.#generator.tasks(position, this.#ids) as unknown as Fields);
    const { entity } = change.after;
    // Most tasks change last some days after their creation.
    const changedAt = Date.parse(entity.createdAt) + Math.random() ** 3 * days * 86_400_000;
    const updatedAt = new Date(Math.min(Date.now() + 86_400_000, changedAt)).toISOString();
    return { after: { ...change.after, entity: { ...entity, updatedAt } } };
  }

  /**
   * Writes all tasks.
   * @param onAdded receives the tasks of each transaction.
   */
  async load(onAdded: (tasks: readonly Task[]) => void): Promise<void> {
    await this.#atClock(async () => {
      for (let start = 0; start < this.size; start += compactionInterval) {
        const batches = this.#createBatches(start, Math.min(start + compactionInterval, this.size), onAdded);
        await forEach(batches, concurrency, (changes) =>
          applyChangeSet(this.#store.session(tenant), { changes }),
        );
        // With the collection's clock: otherwise the watermark would be above the stamps of the next tasks.
        await this.compact();
      }
    });
  }

  /** Creates tasks in their order, as many at a time as are in one transaction. */
  *#createBatches(
    start: number,
    end: number,
    onAdded: (tasks: readonly Task[]) => void,
  ): Generator<Change[]> {
    const intervalMs = (days * 86_400_000) / this.size;
    for (let first = start; first < end; first += batchSize) {
      const changes: (Change & { readonly after: StoredEntity })[] = [];
      for (let place = first; place < Math.min(first + batchSize, end); place += 1) {
        this.#clock += intervalMs;
        changes.push(this.#create(place));
      }
      for (const { after } of changes) this.#ids.tasks.push(after.entity.id);
      onAdded(changes.map(({ after }) => after.entity as unknown as Task));
      yield changes;
    }
  }

  /** Absorbs all records. @returns the write units. */
  async compact(): Promise<number> {
    const database = this.#store.database(600_000);
    await compactAll(database, tenant, 'task');
    return database.consumption.writeUnits;
  }

  /** Changes random tasks, each in a transaction of its own, as many requests do. */
  async update(count: number): Promise<void> {
    for (let number = 0; number < count; number += 1) {
      await this.#write(buildUpdate(await this.#anyTask(), { priority: any(priorities) }));
    }
  }

  async #anyTask(): Promise<StoredEntity> {
    const id = any(this.#ids.tasks);
    const item = await this.#store.database().get(entityKey(tenant, 'task', id));
    if (!item) throw new Error(`The task ${id} is gone.`);
    return decodeEntity(item);
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
      const change = buildCreate('task', fields);
      this.#ids.tasks.push(change.after.entity.id);
      return this.#write(change);
    }
    const task = await this.#anyTask();
    if (kind < 16) return this.#write(buildUpdate(task, this.#anyField(kind)));
    if (kind < 19) return this.#write(buildUpdate(task, { status: any(['todo', 'in-progress', 'done']) }));
    this.#ids.tasks.splice(this.#ids.tasks.indexOf(task.entity.id), 1);
    return this.#write({ before: task });
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
