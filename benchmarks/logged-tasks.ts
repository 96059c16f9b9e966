/** Tasks as records of their change log, without the entities: for benchmarks that measure only compaction and lists of rows. */
import { type LogRecord, recordWrites } from '../functions/engine/model/change-log.ts';
import type { Change } from '../functions/engine/model/changes.ts';
import type { ItemFields, StoredEntity } from '../functions/engine/model/entity.ts';
import { DataGenerator } from '../lib/seed/data.ts';
import type { TestStore } from '../test/support/local-store.ts';

export const tenant = 'public';
export const kind = 'task';

/** Returns the id of a time. Ids of one time are in the order of their numbers. */
function idAt(timeMs: number, number: number): string {
  const time = Math.floor(timeMs).toString(16).padStart(12, '0');
  const random = Math.floor(Math.random() * 2 ** 44)
    .toString(16)
    .padStart(11, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${(number % 4_096).toString(16).padStart(3, '0')}-8000-0${random}`;
}

const amounts = { organizations: 20, users: 200, tags: 200, projects: 500, tasks: 1_000_000 };

/** Makes the tasks of `npx pm-api seed`. */
export class Tasks {
  readonly #generator = new DataGenerator(amounts, 1, new Date());
  readonly #ids: Record<keyof typeof amounts, string[]> = {
    organizations: [],
    users: [],
    tags: [],
    projects: [],
    tasks: [],
  };
  #count = 0;

  constructor() {
    for (const parent of ['organizations', 'users', 'tags', 'projects'] as const) {
      for (let position = 0; position < amounts[parent]; position += 1) {
        this.#generator[parent](position, this.#ids);
        this.#ids[parent].push(idAt(Date.now() - 1e10 + 1e6 * position, position));
      }
    }
  }

  create(timeMs: number): StoredEntity {
    this.#count += 1;
    const fields = this.#generator.tasks(this.#count, this.#ids) as unknown as ItemFields;
    const time = new Date(timeMs).toISOString();
    const entity = { ...fields, id: idAt(timeMs, this.#count), createdAt: time, updatedAt: time };
    return { kind, version: 1, entity } as unknown as StoredEntity;
  }

  /** Creates a task with 50 tags and long texts of another script. */
  createWide(timeMs: number): StoredEntity {
    const task = this.create(timeMs);
    const text = (length: number): string =>
      Array.from({ length }, () => String.fromCharCode(0x4e00 + Math.floor(Math.random() * 3_000))).join('');
    const tagIds = Array.from({ length: 50 }, () => {
      const { tags } = this.#ids;
      return tags[Math.floor(Math.random() * tags.length)] as string;
    });
    const entity = { ...task.entity, name: text(255), description: text(100), tagIds };
    return { ...task, entity } as StoredEntity;
  }
}

/** Writes the record of a transaction, without the entities: only compaction is measured. */
export async function writeRecord(
  store: TestStore,
  changes: readonly Change[],
  { position, time }: Pick<LogRecord, 'position' | 'time'>,
): Promise<void> {
  const writes = recordWrites(tenant, changes, { positions: new Map([[kind, position]]), time });
  for (const { put } of writes.values()) await store.database(60_000).putItem(put);
}
