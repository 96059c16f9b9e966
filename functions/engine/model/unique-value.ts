/**
 * Unique values: the schema names at most one field of a kind whose values are unique in a tenant. An entity with a value has an item beside it, whose key
 * is the value. The transaction of a change of the value puts the new item on condition that there is none, and removes the old one. So a write
 * that leaves the value alone costs nothing more.
 */
import { hash } from 'node:crypto';
import type { Change } from './changes.ts';
import type { AnyEntity, EntityName } from './entity.ts';
import { type Kind, schemaInUse } from './schema.ts';
import { formatAttributes, requireReadable } from './stored-format.ts';
import { type Item, type Key, notExists, type Write } from './writes.ts';

export const uniqueSortKey = 'unique';

/** The id of the entity that has the value. It must not be named `id`, which is a key of an index. */
const entityAttribute = 'entityId';

/** Returns the field of a kind whose values are unique; `undefined` when it has none. */
export const uniqueFieldOf = (kind: Kind): string | undefined => schemaInUse().uniqueFields[kind];

/** Returns the unique value of an entity; `undefined` for one without it, and for a deleted one. */
export function uniqueValueOf(stored: AnyEntity | undefined): string | undefined {
  const field = stored && !stored.deletion ? uniqueFieldOf(stored.kind) : undefined;
  const value = field === undefined ? undefined : stored?.entity[field];
  return typeof value === 'string' ? value : undefined;
}

/** Returns the key of the item of a unique value. The hash makes it short, so that the item costs what 1 KB costs. */
export const uniqueKey = (tenant: string, kind: Kind, value: string): Key => ({
  pk: `${tenant}#${uniqueFieldOf(kind)}#${hash('sha256', value, 'base64url')}`,
  sk: uniqueSortKey,
});

const itemAt = ({ pk, sk }: Key, { kind, id }: EntityName): Item => ({
  ...{ pk, sk },
  ...formatAttributes('unique value'),
  kind,
  [entityAttribute]: id,
});

export const encodeUniqueValue = (tenant: string, entity: EntityName, value: string): Item =>
  itemAt(uniqueKey(tenant, entity.kind, value), entity);

const uniqueValueFields = { kind: true, [entityAttribute]: true };

/** Returns the entity that the item of a unique value names. @throws UnknownFormat. */
export function entityOfUniqueValue(item: Item): EntityName {
  requireReadable('unique value', item, uniqueValueFields);
  return { kind: item['kind'] as Kind, id: item[entityAttribute] as string };
}

/** Returns the item of a unique value as this release writes it. @throws UnknownFormat. */
export const presentUniqueValue = (item: Item): Item => itemAt(item, entityOfUniqueValue(item));

/** Returns the condition that the item of a unique value still names an entity. */
export const namesEntity = (id: string) => ({
  expression: `${entityAttribute} = :entity`,
  values: { ':entity': id },
});

export const namesSameEntity = (item: Item) => namesEntity(entityOfUniqueValue(item).id);

/**
 * Returns the writes of the items of unique values that belong to a change. The condition of the entity's own write holds for the removal: the old
 * item is that of this entity.
 */
export function buildUniqueValueWrites(tenant: string, { before, after }: Change): Write[] {
  const [former, wanted] = [uniqueValueOf(before), uniqueValueOf(after)];
  const writes: Write[] = [];
  if (former === wanted) return writes;
  if (before && former !== undefined) writes.push({ remove: uniqueKey(tenant, before.kind, former) });
  if (!after || wanted === undefined) return writes;
  const put = encodeUniqueValue(tenant, { kind: after.kind, id: after.entity.id }, wanted);
  return [...writes, { put, condition: notExists }];
}
