/** Finds cycles in the trees of tasks. The daily visit of their log breaks them too, from its columns. */

import { breakCycle, readCycle } from '../../functions/engine/entities/cycles.ts';
import type { StoredEntity } from '../../functions/engine/model/entity.ts';
import { entityKey, idOfPartition } from '../../functions/engine/model/keys.ts';
import { treeOf } from '../../functions/engine/model/relations.ts';
import type { Kind } from '../../functions/engine/model/schema.ts';
import type { Key } from '../../functions/engine/model/writes.ts';
import type { Database } from '../../functions/engine/table/database.ts';

/** The partition keys of the entities of a cycle. */
export type Cycle = readonly string[];

export const tenantOf = ({ pk }: Pick<Key, 'pk'>): string => pk.slice(0, pk.indexOf('#'));

/** Returns the partition key of the parent of an entity in its tree. */
export function parentKeyOf(tenant: string, { kind, entity }: StoredEntity): string | undefined {
  const parentId = entity[treeOf(kind)?.field ?? ''];
  return typeof parentId === 'string' ? entityKey(tenant, kind, parentId).pk : undefined;
}

function parseCycle(cycle: Cycle): { tenant: string; kind: Kind; ids: string[] } {
  const [tenant = '', kind = ''] = (cycle[0] ?? '').split('#');
  return { tenant, kind, ids: cycle.map(idOfPartition) };
}

/** Returns the cycles that are still there. Two scans of a table that changes can show one that never was. */
export async function compareTrees(open: () => Database, suspects: readonly Cycle[]): Promise<Cycle[]> {
  const found: Cycle[] = [];
  for (const cycle of suspects) {
    const { tenant, kind, ids } = parseCycle(cycle);
    if ((await readCycle({ tenant, database: open() }, kind, ids)).length > 0) found.push(cycle);
  }
  return found;
}

export async function repairCycle(database: Database, cycle: Cycle): Promise<void> {
  const { tenant, kind, ids } = parseCycle(cycle);
  await breakCycle({ tenant, database }, kind, ids);
}
