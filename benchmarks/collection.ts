/** Creates a large collection through the store. */

import { createEntity } from '../functions/shared/store/entities/create-entity.ts';
import { cut } from '../functions/shared/store/lists/counted-index/counters.ts';
import { buildCreate, type Change } from '../functions/shared/store/model/changes.ts';
import type { Fields } from '../functions/shared/store/model/entity.ts';
import { applyChangeSet } from '../functions/shared/store/unit-of-work/commit.ts';
import type { TestStore } from '../test/support/local-store.ts';

export const tenant = 'public';

/** Entities per transaction. Half a section, so that sections have the size that single requests cause. */
const batchSize = cut.fullSection / 2;

/** Time between two creations according to the ids: four months for a million. */
const intervalMs = 10_000;

/** Most entities have the frequent status, one in `rareEvery` the rare one. */
export const statuses = { frequent: 'active', rare: 'planned' } as const;
const rareEvery = 1_000;

/** Text of a length that makes an entity 440 bytes of JSON. */
const description = 'A project among many. '.repeat(9).slice(0, 164);

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly organizationId: string;
  readonly description: string;
  readonly createdAt: string;
}

/** Projects in a table, half of them in one organization. */
export class Collection {
  readonly #store: TestStore;
  #clock = Date.now() - 200 * 24 * 60 * 60 * 1_000;
  #organizations: readonly string[] = [];
  size = 0;

  constructor(store: TestStore) {
    this.#store = store;
  }

  /** Id of the organization of half of the projects. */
  get organization(): string {
    return this.#organizations[0] ?? '';
  }

  #project(place: number): Fields {
    return {
      name: `Project ${String((place * 7_919) % 1_000_003).padStart(7, '0')}`,
      status: place % rareEvery === 500 ? statuses.rare : place % 10 === 3 ? 'archived' : statuses.frequent,
      organizationId: this.#organizations[place % 2] ?? '',
      description,
      startDate: null,
      dueDate: null,
    };
  }

  /**
   * Adds projects up to a size.
   * @param onAdded receives the projects of each transaction.
   */
  async growTo(size: number, onAdded: (projects: readonly Project[]) => void): Promise<void> {
    const now = Date.now;
    // The clock of the whole process, which dates ids and the boundaries of blocks.
    Date.now = () => this.#clock;
    try {
      const session = this.#store.session(tenant);
      if (this.#organizations.length === 0) {
        const created = ['Large', 'Other'].map((name) =>
          createEntity(session, 'organization', { name, status: 'active' }),
        );
        this.#organizations = (await Promise.all(created)).map(({ entity }) => entity.id);
      }
      while (this.size < size) {
        const changes: Change[] = [];
        while (changes.length < batchSize && this.size < size) {
          this.#clock += intervalMs;
          changes.push(buildCreate('project', this.#project(this.size)));
          this.size += 1;
        }
        await applyChangeSet(this.#store.session(tenant), { changes });
        onAdded(changes.map(({ after }) => after?.entity as unknown as Project));
      }
    } finally {
      Date.now = now;
    }
  }
}
