/** Finds cycles in the trees of tasks. No request makes one, but two at the same time can: each sees the other's task where it was. */

import { buildUpdate } from '../../functions/engine/model/changes.ts';
import type { StoredEntity } from '../../functions/engine/model/entity.ts';
import { ConditionFailed } from '../../functions/engine/model/errors.ts';
import { decodeEntity } from '../../functions/engine/model/item-codec.ts';
import { entityKey, entitySortKey } from '../../functions/engine/model/keys.ts';
import { treeOf } from '../../functions/engine/model/relations.ts';
import type { Database } from '../../functions/engine/table/database.ts';
import { applyChangeSet } from '../../functions/engine/write/commit.ts';
import { now } from '../../functions/runtime/time-and-chance.ts';

/** The partition keys of the entities of a cycle. */
export type Cycle = readonly string[];

const tenantOf = (pk: string): string => pk.slice(0, pk.indexOf('#'));

/** Returns the partition key of the parent of an entity in its tree. */
export function parentKeyOf(tenant: string, { kind, entity }: StoredEntity): string | undefined {
  const parentId = entity[treeOf(kind)?.field ?? ''];
  return typeof parentId === 'string' ? entityKey(tenant, kind, parentId).pk : undefined;
}

/** Returns the cycles among entities. @param parentOf their parents; those of others are not needed. */
export function findCycles(parentOf: ReadonlyMap<string, string>): Cycle[] {
  const cycles: Cycle[] = [];
  const seen = new Set<string>();
  for (const first of parentOf.keys()) {
    const path: string[] = [];
    let next: string | undefined = first;
    for (; next !== undefined && !seen.has(next); next = parentOf.get(next)) {
      seen.add(next);
      path.push(next);
    }
    const begin = path.indexOf(next ?? '');
    if (begin >= 0) cycles.push(path.slice(begin));
  }
  return cycles;
}

/** Reads the entities of a cycle; none if it is not one any more. */
async function readCycle(database: Database, cycle: Cycle): Promise<StoredEntity[]> {
  const items = await database.getMany(cycle.map((pk) => ({ pk, sk: entitySortKey })));
  const stored = new Map(items.map((item) => [item.pk, decodeEntity(item)]));
  const parents = [...stored].flatMap(([pk, one]): [string, string][] => {
    const parent = parentKeyOf(tenantOf(pk), one);
    return parent ? [[pk, parent]] : [];
  });
  return findCycles(new Map(parents)).flatMap((keys) => keys.flatMap((pk) => stored.get(pk) ?? []));
}

/** Returns the cycles that are still there. Two scans of a table that changes can show one that never was. */
export async function compareTrees(open: () => Database, suspects: readonly Cycle[]): Promise<Cycle[]> {
  const found: Cycle[] = [];
  for (const cycle of suspects) if ((await readCycle(open(), cycle)).length > 0) found.push(cycle);
  return found;
}

/** Removes the parent of the youngest entity of a cycle. */
export async function repairCycle(database: Database, cycle: Cycle): Promise<void> {
  const entities = await readCycle(database, cycle);
  const [youngest] = entities.sort((one, other) => (one.entity.id < other.entity.id ? 1 : -1));
  const tree = youngest && treeOf(youngest.kind);
  if (!tree) return;
  const session = { tenant: tenantOf(cycle[0] as string), database };
  try {
    await applyChangeSet(session, { changes: [buildUpdate(youngest, { [tree.field]: null }, now())] });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    // Another writer has changed it meanwhile.
    await repairCycle(database, cycle);
  }
}
