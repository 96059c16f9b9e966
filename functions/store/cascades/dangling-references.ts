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
  /** Partitions of entities that exist, or whose sweep has begun: most entities refer to the same ones. */
  readonly #known = new Set<string>();

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Begins a sweep for each missing entity that some entities refer to.
   * @returns the number of sweeps.
   */
  async sweep(children: readonly StoredEntity[]): Promise<number> {
    const { tenant, database } = this.#session;
    const nowMs = await database.time();
    const old = children.filter(({ entity }) => Date.parse(entity.updatedAt) + minAgeMs < nowMs);
    const references = without(referencesFrom(tenant, old), this.#known);
    const suspects = without(references, await readExisting(this.#session, references, false));
    const missing = without(suspects, await readExisting(this.#session, suspects, true));
    for (const pk of references.keys()) this.#known.add(pk);
    const unswept = await withoutSwept(this.#session, missing);
    for (const { kind, id } of unswept) await this.#beginSweep(kind, id);
    return unswept.length;
  }

  async #beginSweep(kind: Kind, id: string): Promise<void> {
    const { tenant, database } = this.#session;
    try {
      // One job for one entity, however many children and comparisons find it.
      await database.transact([beginSweep({ tenant }, kind, id, `sweep-${kind}-${id}`)]);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
}
