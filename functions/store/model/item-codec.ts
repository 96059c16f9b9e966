/** Entities as items of the table, and back. */

import { type ItemFields, isWhole, type StoredEntity, type WholeEntity } from './entity.ts';
import { entityKey, indexKeys, textKey } from './keys.ts';
import { type Digest, fromInlineText, isDigestOf, longTextField, toInlineText } from './long-text.ts';
import type { Kind } from './relations.ts';
import { table } from './table.ts';
import type { Item } from './writes.ts';

/** Returns the item that stores an entity. @param stamp of its change in the change log. */
export function encodeEntity(tenant: string, { kind, entity, version }: StoredEntity, stamp: number): Item {
  const { description } = entity;
  return {
    ...entityKey(tenant, kind, entity.id),
    ...indexKeys(tenant, kind, entity),
    kind,
    version,
    stamp,
    ...entity,
    ...(description !== undefined && { [longTextField]: toInlineText(description) }),
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

/** Returns the entity that an item stores. Its long text is in another item. */
export function decodeEntity(item: Item): StoredEntity {
  // A page of a list decodes up to 100 items: Object.entries, filter and fromEntries take six times as long.
  const fields: Record<string, unknown> = {};
  for (const name in item) if (!internalAttributes.has(name)) fields[name] = item[name];
  const text = fields[longTextField];
  if (typeof text === 'string') fields[longTextField] = fromInlineText(text);
  return {
    kind: item['kind'] as Kind,
    version: item['version'] as number,
    stamp: item['stamp'] as number,
    entity: fields as unknown as ItemFields,
  };
}

export const encodeText = (tenant: string, { kind, entity }: StoredEntity, text: string): Item => ({
  ...textKey(tenant, kind, entity.id),
  text,
});

/** Returns an entity with its long text; `undefined` when the text in the item is not the one that belongs to it. */
export function withText(stored: StoredEntity, item: Item | undefined): WholeEntity | undefined {
  if (isWhole(stored)) return stored;
  const { entity } = stored;
  const text = item?.['text'] as string | undefined;
  const isOwn = text !== undefined && isDigestOf(entity.description as Digest, text);
  return isOwn ? { ...stored, entity: { ...entity, description: text } } : undefined;
}
