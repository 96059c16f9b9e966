/** Keys of entities in the table and its indexes. Every key begins with the tenant. `#` separates the parts of a key. */

import type { Entity } from './entity.ts';
import { type Kind, type Relation, referencesOf } from './relations.ts';
import { table } from './table.ts';
import type { Key } from './writes.ts';

/** Returns the primary key of an entity. */
export const entityKey = (tenant: string, kind: Kind, id: string): Key => ({
  pk: `${tenant}#${kind}#${id}`,
  sk: 'entity',
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

/** Returns the beginning of the sort keys of a status. */
export const statusPrefix = (status: string): string => `${status}#`;

/** Bytes of a name in a sort key, which has at most 1,024 with the id. */
const maxNameBytes = 980;

/** A UTF-16 unit takes at most three bytes of UTF-8, a pair of them four. */
const maxBytesPerCharacter = 4;

/** Escapes the characters that would sort before the end of a name. */
const escapeName = (name: string): string =>
  name.replaceAll('\u0001', '\u0001\u0002').replaceAll('\u0000', '\u0001\u0001');

/** Returns whether a sort key holds only the beginning of a name, so that another name may have the same one. */
export const isTruncatedName = (name: string): boolean =>
  name.length > maxNameBytes / maxBytesPerCharacter - 1 &&
  Buffer.byteLength(escapeName(name)) > maxNameBytes - maxBytesPerCharacter;

function truncate(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/**
 * Returns the beginning of the sort keys of a name: the name, and an end that sorts before every character, so that a name
 * sorts before its extensions. DynamoDB compares the bytes of UTF-8, which is the order of code points.
 *
 * Names of more than 980 bytes are truncated: readers compare the whole names.
 */
export function namePrefix(name: string): string {
  const escaped = escapeName(name);
  // Only the longest names are measured.
  const isLong = escaped.length > maxNameBytes / maxBytesPerCharacter;
  return `${isLong ? truncate(escaped, maxNameBytes) : escaped}\u0000`;
}

/** Returns the index keys of an entity. An entity without a parent is absent from the parent's index. */
export function indexKeys(tenant: string, kind: Kind, entity: Entity): Record<string, string> {
  const keys: Record<string, string> = {
    ofKind: kindPartition(tenant, kind),
    byStatus: statusPrefix(entity.status) + entity.id,
    byName: namePrefix(entity.name) + entity.id,
  };
  for (const relation of referencesOf(kind)) {
    const { field, index } = relation;
    const parentId = entity[field];
    if (index && typeof parentId === 'string') {
      keys[table.indexes[index].partitionKey] = parentPartition(tenant, relation, parentId);
    }
  }
  return keys;
}
