/** Entities as items of the table, and back. */

import {
  decodeDeletion,
  deletionAttributes,
  deletionOfRow,
  encodeDeletion,
  isDeletedItem,
  notDeleted,
} from './deletion.ts';
import { type AnyEntity, type ItemFields, isWhole, type StoredEntity, type WholeOf } from './entity.ts';
import { UnknownFormat } from './errors.ts';
import { timestampMs } from './ids.ts';
import { entityKey, entitySortKey, idOfPartition, indexKeys, textKey } from './keys.ts';
import {
  type Digest,
  fromInlineText,
  isDigestOf,
  isLongTextField,
  longTextOf,
  toInlineText,
  withLongText,
} from './long-text.ts';
import { isArray } from './relations.ts';
import { fromValue, type Row, scalarText } from './row.ts';
import { type Kind, schemaInUse } from './schema.ts';
import { formatAttributes, requireFormat, requireReadable } from './stored-format.ts';
import { table } from './table.ts';
import { wordsField } from './words.ts';
import type { Condition, Item, Key } from './writes.ts';

/** Returns the entity of a row. It has a digest in the place of a long text. */
export function entityOfRow(kind: Kind, id: string, row: Row): ItemFields {
  const fields: Record<string, unknown> = { id, createdAt: new Date(timestampMs(id)).toISOString() };
  for (const [field, value] of Object.entries(row)) {
    if (field === wordsField || field in notDeleted) continue;
    fields[field] =
      value !== null && isLongTextField(field)
        ? fromInlineText(value)
        : fromValue(value, isArray(kind, field));
  }
  return fields as unknown as ItemFields;
}

export function storedOfRow(kind: Kind, id: string, version: number, row: Row): AnyEntity {
  const stored = { kind, version, entity: entityOfRow(kind, id, row) };
  const deletion = deletionOfRow(kind, id, row);
  return deletion ? { ...stored, deletion } : stored;
}

/** Returns the item that stores an entity. @param logPosition of its change in the change log. */
export function encodeEntity(tenant: string, stored: AnyEntity, logPosition: number): Item {
  const { kind, entity, version, deletion } = stored;
  const text = longTextOf(entity);
  const { id, ...fields } = entity;
  return {
    ...entityKey(tenant, kind, id),
    // The attribute `id` would put the item of a deleted entity into `by-creation`.
    ...(deletion ? encodeDeletion(stored) : { ...indexKeys(tenant, kind, entity), id }),
    kind,
    version,
    logPosition,
    ...formatAttributes('entity'),
    ...fields,
    ...(text !== undefined && { [schemaInUse().longText]: toInlineText(text) }),
  };
}

/** The store's own attributes. No field of a resource may have one of these names. */
export const internalAttributes: ReadonlySet<string> = new Set([
  table.partitionKey,
  table.sortKey,
  table.timeToLive,
  'kind',
  'version',
  'logPosition',
  ...deletionAttributes,
  'format',
  ...Object.values(table.indexes).flatMap(({ partitionKey, sortKey }) =>
    sortKey === 'id' ? [partitionKey] : [partitionKey, sortKey],
  ),
]);

/** Returns whether an attribute can be a field of an entity: a row holds such values, and no others. */
const isFieldValue = (value: unknown): boolean =>
  typeof value === 'string' ||
  value === null ||
  scalarText(value) !== undefined ||
  (Array.isArray(value) && value.every((one) => typeof one === 'string'));

function decodeFields(item: Item) {
  requireFormat('entity', item['format']);
  // A page of a list decodes up to 100 items: Object.entries, filter and fromEntries take six times as long.
  const fields: Record<string, unknown> = {};
  for (const name in item) {
    if (internalAttributes.has(name)) continue;
    const value = item[name];
    if (!isFieldValue(value))
      throw new UnknownFormat(
        `The attribute "${name}" of an entity can be no field that this release keeps.`,
      );
    fields[name] = value;
  }
  const text = longTextOf(fields);
  if (typeof text === 'string') fields[schemaInUse().longText] = fromInlineText(text);
  return {
    kind: item['kind'] as Kind,
    version: item['version'] as number,
    logPosition: item['logPosition'] as number,
    entity: fields as unknown as ItemFields,
  };
}

/**
 * Returns the entity that an item stores. Its long text is in another item. An attribute that this release does not know is a field that the
 * next release has added: a change of the entity, its records and rows keep it, and no response shows it.
 * @throws UnknownFormat for another format, and for an attribute that can be no field.
 * @throws TypeError for the item of a deleted entity: no operation may take it for one that exists.
 */
export function decodeEntity(item: Item): StoredEntity {
  if (isDeletedItem(item)) throw new TypeError('A deleted entity was read as one that exists.');
  return decodeFields(item);
}

export function decodeAnyEntity(item: Item): AnyEntity {
  const stored = decodeFields(item);
  if (!isDeletedItem(item)) return stored;
  const entity = { ...stored.entity, id: idOfPartition(item.pk) };
  return { ...stored, entity, deletion: decodeDeletion(item) };
}

const textAt = ({ pk, sk }: Key, text: unknown): Item => ({
  ...{ pk, sk },
  ...formatAttributes('long text'),
  text,
});

export const encodeText = (tenant: string, { kind, entity }: StoredEntity, text: string): Item =>
  textAt(textKey(tenant, kind, entity.id), text);

const longTextFields = { text: true, [table.timeToLive]: true };

/** Returns the text that an item has: that of a long text, or that of an entity with a short one. */
function textIn(item: Item): unknown {
  if (item.sk === entitySortKey) return longTextOf(item);
  requireReadable('long text', item, longTextFields);
  return item['text'];
}

/** Returns the item of an entity as this release writes it, with the keys of its indexes. @throws UnknownFormat. */
export function presentEntity(item: Item): Item {
  const stored = decodeAnyEntity(item);
  return encodeEntity(item.pk.slice(0, item.pk.indexOf('#')), stored, stored.logPosition as number);
}

/** Returns the item of a long text as this release writes it: it expires as before. @throws UnknownFormat. */
export const presentText = (item: Item): Item => ({
  ...textAt(item, textIn(item)),
  ...(table.timeToLive in item && { [table.timeToLive]: item[table.timeToLive] }),
});

/** Returns the condition that the item of a long text is as it was read. */
export const hasText = (item: Item): Condition => ({
  expression: `#text = :text AND ${table.timeToLive in item ? '#expiry = :expiry' : 'attribute_not_exists(#expiry)'}`,
  names: { '#text': 'text', '#expiry': table.timeToLive },
  values: {
    ':text': item['text'],
    ...(table.timeToLive in item && { ':expiry': item[table.timeToLive] }),
  },
});

/** Returns an entity with its long text; `undefined` when the text in the item is not the one that belongs to it. */
export function withText<Stored extends AnyEntity>(
  stored: Stored,
  item: Item | undefined,
): WholeOf<Stored> | undefined {
  if (isWhole(stored)) return stored;
  const { entity } = stored;
  const text = item && textIn(item);
  const isOwn = typeof text === 'string' && isDigestOf(longTextOf(entity) as Digest, text);
  return isOwn ? ({ ...stored, entity: withLongText(entity, text) } as WholeOf<Stored>) : undefined;
}
