/** Finds references to entities that do not exist, and removes them as a deletion does. The lost row of a child makes a deletion miss it. */

import type { StoredEntity } from '../model/entity.ts';
import { ConditionFailed } from '../model/errors.ts';
import { decodeJob, jobsOfTenant } from '../model/job.ts';
import { entityKey } from '../model/keys.ts';
import { type Kind, referencesOf } from '../model/relations.ts';
import type { Key } from '../model/writes.ts';
import type { Session } from '../unit-of-work/session.ts';
import { beginSweep } from './sweep.ts';

/** Milliseconds after the last change of a child from which a reference counts: the second sweep of a deletion has ended by then. */
const minAgeMs = 600_000;

interface Reference {
  readonly kind: Kind;
  readonly id: string;
}

/** Returns what entities refer to, each once. */
function referencesFrom(tenant: string, children: readonly StoredEntity[]): Map<string, Reference> {
  const found = new Map<string, Reference>();
  for (const { kind, entity } of children) {
    for (const { field, parent } of referencesOf(kind)) {
      for (const id of [entity[field] ?? []].flat() as string[])
        found.set(entityKey(tenant, parent, id).pk, { kind: parent, id });
    }
  }
  return found;
}

type References = ReadonlyMap<string, Reference>;

const without = (references: References, known: ReadonlySet<string>): References =>
  new Map([...references].filter(([pk]) => !known.has(pk)));

async function readExisting(
  { tenant, database }: Session,
  references: References,
  isConsistent: boolean,
): Promise<Set<string>> {
  const keys = [...references.values()].map(({ kind, id }): Key => entityKey(tenant, kind, id));
  return new Set((await database.getMany(keys, isConsistent)).map(({ pk }) => pk));
}

/** Leaves out what a deletion in progress is about to clear. */
async function withoutSwept(
  { tenant, database }: Session,
  references: References,
): Promise<readonly Reference[]> {
  if (references.size === 0) return [];
  const swept = new Set<string>();
  for await (const { items } of database.pages(jobsOfTenant(tenant))) {
    for (const { work } of items.map(decodeJob))
      if (work.type === 'sweep') swept.add(entityKey(tenant, work.kind, work.id).pk);
  }
  return [...references].filter(([pk]) => !swept.has(pk)).map(([, reference]) => reference);
}

/** The missing entities that the entities of one look refer to. */
export class DanglingReferences {
  readonly #session: Session;
  /** Partitions of entities that were looked for: most entities refer to the same ones. */
  readonly #known = new Set<string>();
  #swept = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Number of sweeps that have begun. */
  get swept(): number {
    return this.#swept;
  }

  /** Begins a sweep for each missing entity that some entities refer to. */
  async sweep(children: readonly StoredEntity[]): Promise<void> {
    const { database } = this.#session;
    const nowMs = await database.time();
    const old = children.filter(({ entity }) => Date.parse(entity.updatedAt) + minAgeMs < nowMs);
    const missing = await this.#readMissing(old);
    await this.#beginSweeps(await withoutSwept(this.#session, missing));
  }

  /**
   * Begins a sweep for each missing entity that entities refer to whose rows lists lack. A sweep in progress may have missed them, so another one
   * begins: its second pass comes when the columns have the rows.
   */
  async sweepOfLate(children: readonly StoredEntity[]): Promise<void> {
    await this.#beginSweeps([...(await this.#readMissing(children)).values()]);
  }

  async #readMissing(children: readonly StoredEntity[]): Promise<References> {
    const references = without(referencesFrom(this.#session.tenant, children), this.#known);
    const suspects = without(references, await readExisting(this.#session, references, false));
    const missing = without(suspects, await readExisting(this.#session, suspects, true));
    for (const pk of references.keys()) this.#known.add(pk);
    return missing;
  }

  async #beginSweeps(missing: readonly Reference[]): Promise<void> {
    const { tenant, database } = this.#session;
    for (const { kind, id } of missing) {
      try {
        // One job for one entity, however many children and comparisons find it.
        await database.transact([beginSweep({ tenant }, kind, id, `sweep-${kind}-${id}`)]);
        this.#swept += 1;
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
      }
    }
  }
}
