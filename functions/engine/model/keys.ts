/** Keys of entities in the table and its indexes. Every key begins with the tenant. `#` separates the parts of a key. */

import type { ItemFields } from './entity.ts';
import { referencesOf } from './relations.ts';
import type { Kind, Relation } from './schema.ts';
import type { Key } from './writes.ts';

/** The sort keys of the items of entities, and of their long texts. */
export const entitySortKey = 'entity';
export const textSortKey = 'text';

export const entityKey = (tenant: string, kind: Kind, id: string): Key => ({
  pk: `${tenant}#${kind}#${id}`,
  sk: entitySortKey,
});

/** Returns the id of the entity that a partition key belongs to. */
export const idOfPartition = (pk: string): string => pk.slice(pk.lastIndexOf('#') + 1);

/** Returns the primary key of the long text of an entity: in the entity's partition, so one query reads both. */
export const textKey = (tenant: string, kind: Kind, id: string): Key => ({
  ...entityKey(tenant, kind, id),
  sk: textSortKey,
});

/** Returns the index partition that holds all entities of a kind. */
export const kindPartition = (tenant: string, kind: Kind): string => `${tenant}#${kind}`;

/**
 * Returns the index partition that holds the children of one parent. The field is part of it: the tasks of a project and those
 * of a user are different lists, whatever id is asked for.
 */
export const parentPartition = (
  tenant: string,
  { child, field }: Pick<Relation, 'child' | 'field'>,
  parentId: string,
): string => `${tenant}#${child}#${field}#${parentId}`;

export const statusPrefix = (status: string): string => `${status}#`;

/** Returns the index keys of an entity. An entity without a parent is absent from the parent's index. */
export function indexKeys(tenant: string, kind: Kind, entity: ItemFields): Record<string, string> {
  const keys: Record<string, string> = {
    ofKind: kindPartition(tenant, kind),
    byStatus: statusPrefix(entity.status) + entity.id,
  };
  for (const relation of referencesOf(kind)) {
    const parentId = entity[relation.field];
    if (relation.isIndexed && typeof parentId === 'string') {
      keys['ofParent'] = parentPartition(tenant, relation, parentId);
    }
  }
  return keys;
}
