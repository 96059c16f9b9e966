/** Keys of entities in the table and its indexes. Every key begins with the tenant. `#` separates the parts of a key. */

import type { ItemFields } from './entity.ts';
import type { Kind } from './schema.ts';
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

export const statusPrefix = (status: string): string => `${status}#`;

/** Returns the index keys of an entity. */
export const indexKeys = (tenant: string, kind: Kind, { id, status }: ItemFields) => ({
  ofKind: kindPartition(tenant, kind),
  byStatus: statusPrefix(status) + id,
});
