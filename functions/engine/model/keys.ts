/** Keys of entities in the table and its indexes. Every key begins with the tenant. `#` separates the parts of a key. */

import type { ItemFields } from './entity.ts';
import type { Kind } from './schema.ts';
import type { Key } from './writes.ts';

export const entitySortKey = 'entity';
export const textSortKey = 'text';

export const entityKey = (tenant: string, kind: Kind, id: string): Key => ({
  pk: `${tenant}#${kind}#${id}`,
  sk: entitySortKey,
});

export const idOfPartition = (pk: string): string => pk.slice(pk.lastIndexOf('#') + 1);

/** Returns the primary key of the long text of an entity: in the entity's partition, so one query reads both. */
export const textKey = (tenant: string, kind: Kind, id: string): Key => ({
  ...entityKey(tenant, kind, id),
  sk: textSortKey,
});

export const kindPartition = (tenant: string, kind: Kind): string => `${tenant}#${kind}`;

export const statusPrefix = (status: string): string => `${status}#`;

export const indexKeys = (tenant: string, kind: Kind, { id, status }: ItemFields) => ({
  ofKind: kindPartition(tenant, kind),
  byStatus: statusPrefix(status) + id,
});
