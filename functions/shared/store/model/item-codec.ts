/** Entities as items of the table, and back. */

import type { Entity, StoredEntity } from './entity.ts';
import { entityKey, indexKeys } from './keys.ts';
import type { Kind } from './relations.ts';
import { table } from './table.ts';
import type { Item } from './writes.ts';

/** Returns the item that stores an entity. @param stamp of its change in the change log. */
export function encodeEntity(tenant: string, { kind, entity, version }: StoredEntity, stamp: number): Item {
  return {
    ...entityKey(tenant, kind, entity.id),
    ...indexKeys(tenant, kind, entity),
    kind,
    version,
    stamp,
    ...entity,
  };
}

/** The store's own attributes. No field of a resource may have one of these names. */
export const internalAttributes: ReadonlySet<string> = new Set([
  table.partitionKey,
  table.sortKey,
  table.timeToLive,
  'kind',
  'version',
  'stamp',
  ...Object.values(table.indexes).flatMap(({ partitionKey, sortKey }) =>
    sortKey === 'id' ? [partitionKey] : [partitionKey, sortKey],
  ),
]);

/** Returns the entity that an item stores. */
export function decodeEntity(item: Item): StoredEntity {
  // A page of a list decodes up to 100 items: Object.entries, filter and fromEntries take six times as long.
  const fields: Record<string, unknown> = {};
  for (const name in item) if (!internalAttributes.has(name)) fields[name] = item[name];
  return {
    kind: item['kind'] as Kind,
    version: item['version'] as number,
    stamp: item['stamp'] as number,
    entity: fields as unknown as Entity,
  };
}
