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

async function withoutExisting(
  { tenant, database }: Session,
  references: ReadonlyMap<string, Reference>,
  isConsistent: boolean,
): Promise<Map<string, Reference>> {
  const keys = [...references.values()].map(({ kind, id }): Key => entityKey(tenant, kind, id));
  const existing = new Set((await database.getMany(keys, isConsistent)).map(({ pk }) => pk));
  return new Map([...references].filter(([pk]) => !existing.has(pk)));
}

/** Leaves out what a deletion in progress is about to clear. */
async function withoutSwept(
  { tenant, database }: Session,
  references: ReadonlyMap<string, Reference>,
): Promise<readonly Reference[]> {
  if (references.size === 0) return [];
  const swept = new Set<string>();
  for await (const { items } of database.pages(jobsOfTenant(tenant))) {
    for (const { work } of items.map(decodeJob))
      if (work.type === 'sweep') swept.add(entityKey(tenant, work.kind, work.id).pk);
  }
  return [...references].filter(([pk]) => !swept.has(pk)).map(([, reference]) => reference);
}

/**
 * Begins a sweep for each missing entity that some entities refer to.
 * @returns the number of sweeps.
 */
export async function sweepDanglingReferences(
  session: Session,
  children: readonly StoredEntity[],
): Promise<number> {
  const { tenant, database } = session;
  const nowMs = await database.time();
  const old = children.filter(({ entity }) => Date.parse(entity.updatedAt) + minAgeMs < nowMs);
  const suspects = await withoutExisting(session, referencesFrom(tenant, old), false);
  const missing = await withoutSwept(session, await withoutExisting(session, suspects, true));
  for (const { kind, id } of missing) {
    try {
      // One job for one entity, however many children and comparisons find it.
      await database.transact([beginSweep({ tenant }, kind, id, `sweep-${kind}-${id}`)]);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
  return missing.length;
}
