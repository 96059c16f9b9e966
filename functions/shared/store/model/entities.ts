import { v7 as uuidv7 } from 'uuid';
import { type Kind, type Relation, referencesOf } from './relations.ts';
import { table } from './table.ts';
import type { Item, Key } from './writes.ts';

/** An entity as the interface shows it. */
export interface Entity {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly [member: string]: unknown;
}

/** The members that a caller may set. */
export type Fields = Readonly<Record<string, unknown>> & { readonly name: string; readonly status: string };

/** An entity as it is stored. */
export interface Stored {
  readonly kind: Kind;
  readonly entity: Entity;
  /** How often it was written: its ETag, and the condition of the next write. */
  readonly version: number;
}

/** The members that only the store sets. */
export const readOnlyMembers = ['id', 'createdAt', 'updatedAt'] as const;

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether this could be the id of something; what could not is not asked for. */
export const isId = (value: string): boolean => idPattern.test(value);

/** What a status may look like; it is part of a sort key. */
export const statusPattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Whether anything can have this status. */
export const isStatus = (value: string): boolean => statusPattern.test(value);

/** The time inside an id, in milliseconds since 1970. */
const millisecondsOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/**
 * A new id: unique, opaque, and later than all that this process made before (UUID version 7, RFC 9562).
 * `createdAt` is the time inside it, so that the order of ids is the order of creation, ties included.
 */
export function newId(): { id: string; createdAt: string } {
  const id = uuidv7();
  return { id, createdAt: new Date(millisecondsOf(id)).toISOString() };
}

/** A new id that is later than another, also than one that was made by a clock ahead of ours. */
export const idLaterThan = (id: string): string =>
  uuidv7({ msecs: Math.max(Date.now(), millisecondsOf(id) + 1) });

export const entityKey = (tenant: string, kind: Kind, id: string): Key => ({
  pk: `${tenant}#${kind}#${id}`,
  sk: 'entity',
});

/** The partition of an index that holds all of a kind. */
export const kindPartition = (tenant: string, kind: Kind): string => `${tenant}#${kind}`;

/**
 * The partition of an index that holds the children of one parent. The field is part of it: the tasks of a project and those
 * of a user are different lists, whatever id is asked for.
 */
export const parentPartition = (
  tenant: string,
  { child, member }: Pick<Relation, 'child' | 'member'>,
  parentId: string,
): string => `${tenant}#${child}#${member}#${parentId}`;

/** What sort keys by status start with. "#" cannot occur in a status. */
export const statusPrefix = (status: string): string => `${status}#`;

const largestNameBytes = 980;

/** A name as it stands in sort keys: characters that would sort before the end are written as two. */
const escaped = (name: string): string =>
  name.replaceAll('\u0001', '\u0001\u0002').replaceAll('\u0000', '\u0001\u0001');

/** Whether sort keys hold so little of a name that another may look the same. */
export const isCutName = (name: string): boolean =>
  name.length > largestNameBytes / 4 - 1 && Buffer.byteLength(escaped(name)) > largestNameBytes - 4;

/**
 * What sort keys by name start with: the name, and an end that sorts before any character, so that a name comes
 * before its own extensions. DynamoDB compares the bytes of UTF-8, which is the order of code points.
 *
 * A sort key has at most 1,024 bytes: a name of more than 980 is cut. Who reads by name compares whole names.
 */
export function namePrefix(name: string): string {
  const whole = escaped(name);
  let cut = whole;
  // Four bytes a character at most: only the longest names are measured.
  if (whole.length > largestNameBytes / 4 && Buffer.byteLength(whole) > largestNameBytes) {
    cut = '';
    let bytes = 0;
    for (const character of whole) {
      bytes += Buffer.byteLength(character);
      if (bytes > largestNameBytes) break;
      cut += character;
    }
  }
  return `${cut}\u0000`;
}

function indexKeys(tenant: string, kind: Kind, entity: Entity): Record<string, string> {
  const keys: Record<string, string> = {
    ofKind: kindPartition(tenant, kind),
    byStatus: statusPrefix(entity.status) + entity.id,
    byName: namePrefix(entity.name) + entity.id,
  };
  for (const relation of referencesOf(kind)) {
    const { member, listing } = relation;
    const parentId = entity[member];
    if (listing && typeof parentId === 'string') {
      keys[table.indexes[listing].partitionKey] = parentPartition(tenant, relation, parentId);
    }
  }
  return keys;
}

/** The item that stores an entity. */
export function encode(tenant: string, { kind, entity, version }: Stored): Item {
  return {
    ...entityKey(tenant, kind, entity.id),
    ...indexKeys(tenant, kind, entity),
    kind,
    version,
    ...entity,
  };
}

/** Attributes that are the store's own; no member of a resource may be named so. */
export const internalAttributes: ReadonlySet<string> = new Set([
  table.partitionKey,
  table.sortKey,
  table.timeToLive,
  'kind',
  'version',
  ...Object.values(table.indexes).flatMap(({ partitionKey, sortKey }) =>
    sortKey === 'id' ? [partitionKey] : [partitionKey, sortKey],
  ),
]);

/** The entity that an item stores. */
export function decode(item: Item): Stored {
  // A page of a list decodes twenty and more: entries made and filtered cost six times as much.
  const members: Record<string, unknown> = {};
  for (const name in item) if (!internalAttributes.has(name)) members[name] = item[name];
  return {
    kind: item['kind'] as Kind,
    version: item['version'] as number,
    entity: members as unknown as Entity,
  };
}
