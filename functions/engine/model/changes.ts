/** Changes of entities, before they are written. */

import { erased, expiryOf } from './deletion.ts';
import type {
  AnyEntity,
  DeletedEntity,
  Deletion,
  Entity,
  Fields,
  StoredEntity,
  WholeEntity,
} from './entity.ts';
import { newId, timestampMs } from './ids.ts';
import { encodeEntity, encodeText } from './item-codec.ts';
import { entityKey, textKey } from './keys.ts';
import { isLong, longTextBytes, longTextOf, requireText } from './long-text.ts';
import type { Kind } from './schema.ts';
import { hasVersion, notExists, type Write } from './writes.ts';

/**
 * The change of one entity. A creation has no `before`. A deletion has a deleted entity as `after`, and a restore as `before`. What is removed for
 * good has no `after`.
 */
export type Change =
  | { readonly before?: undefined; readonly after: StoredEntity }
  | {
      readonly before: AnyEntity;
      readonly after?: AnyEntity | undefined;
    };

/** The creation or change of an entity whose long text is known. */
export interface WholeChange {
  readonly before?: WholeEntity;
  readonly after: WholeEntity;
}

export const kindOf = ({ before, after }: Change): Kind => (after ?? (before as AnyEntity)).kind;

/** Several changes, and writes of other items, that are applied together or not at all. */
export interface ChangeSet {
  readonly changes: readonly Change[];
  /** Writes of other items, such as jobs. */
  readonly writes?: readonly Write[];
}

export const mergeChangeSets = (changeSets: readonly ChangeSet[]): ChangeSet => ({
  changes: changeSets.flatMap(({ changes }) => changes),
  writes: changeSets.flatMap(({ writes = [] }) => writes),
});

/** @param id that the caller has made; a new one by default. */
export function buildCreate(kind: Kind, fields: Fields, nowMs: number, id = newId(nowMs).id) {
  const createdMs = timestampMs(id);
  const createdAt = new Date(createdMs).toISOString();
  // The time of the id can be ahead of this clock.
  const updatedAt = new Date(Math.max(nowMs, createdMs)).toISOString();
  const entity: Entity = { ...fields, id, createdAt, updatedAt };
  return { after: { kind, version: 1, entity } };
}

/** @param nowMs milliseconds since 1970. */
export function buildUpdate<Stored extends StoredEntity>(
  before: Stored,
  fields: Readonly<Record<string, unknown>>,
  nowMs: number,
): { before: Stored; after: Stored } {
  // The clock of the previous writer may be ahead of this one.
  const timeMs = Math.max(nowMs, Date.parse(before.entity.updatedAt));
  const updatedAt = new Date(timeMs).toISOString();
  const { id, createdAt } = before.entity;
  const entity = { ...before.entity, ...fields, id, createdAt, updatedAt };
  return { before, after: { ...before, version: before.version + 1, entity } };
}

/** Returns the change that deletes an entity. It stays until it expires. If the deletion was erased, the item keeps only the id and the version. */
export function buildDeletion(before: StoredEntity, deletion: Deletion) {
  const after = { ...before, version: before.version + 1, deletion };
  return { before, after: deletion.isErased ? erased(after) : after };
}

/** Returns the change that makes a deleted entity a part of another deletion. If that was erased, only the id and the version are left. */
export function buildMove(before: DeletedEntity, to: Deletion) {
  const deletion = { ...to, moves: (before.deletion.moves ?? 0) + 1 };
  const after = { ...before, version: before.version + 1, deletion };
  return { before, after: to.isErased ? erased(after) : after };
}

/**
 * Returns the change that restores an entity.
 * @param fields that get other values than before the deletion.
 */
export function buildRestore<Deleted extends DeletedEntity>(
  before: Deleted,
  fields: Readonly<Record<string, unknown>>,
  nowMs: number,
): { readonly before: Deleted; readonly after: Omit<Deleted, 'deletion'> } {
  const { deletion, ...stored } = before;
  // The next deletion of the entity has a later time than this one, whatever the clocks say.
  const timeMs = Math.max(nowMs, Date.parse(before.entity.updatedAt), deletion.deletedAt + 1);
  const entity = { ...before.entity, ...fields, updatedAt: new Date(timeMs).toISOString() };
  return { before, after: { ...stored, version: before.version + 1, entity } };
}

/**
 * Returns the write of a change. Its condition is the version that was read: of two writers that read the same version, one
 * writes, and the other reads again.
 */
export function buildWrite(tenant: string, { before, after }: Change, logPosition: number): Write {
  if (!before) return { put: encodeEntity(tenant, after, logPosition), condition: notExists };
  const condition = hasVersion(before.version);
  const replaced = encodeEntity(tenant, before, logPosition);
  if (after) return { put: encodeEntity(tenant, after, logPosition), condition, replaced };
  return { remove: entityKey(tenant, before.kind, before.entity.id), condition, replaced };
}

/** Returns the write that lets the long text of an entity expire with a deletion, or that keeps it. */
const buildTextExpiry = (
  tenant: string,
  { kind, entity }: AnyEntity,
  deletion: Deletion | undefined,
): Write => ({
  setExpiry: textKey(tenant, kind, entity.id),
  expiresAt: deletion && expiryOf(deletion),
  replacedBytes: longTextBytes(longTextOf(entity)),
});

/**
 * Returns the write of the long text of a changed entity, if it changes. The condition of the entity's own write holds for both.
 * @throws TypeError when the entity has the digest of a text that was not read.
 */
export function buildTextWrite(tenant: string, { before, after }: Change): Write[] {
  const known = longTextOf(before?.entity);
  const wanted = longTextOf(after?.entity);
  const deletion = after?.deletion;
  if (before && after && before.deletion !== deletion && !deletion?.isErased)
    return isLong(known) ? [buildTextExpiry(tenant, before, deletion)] : [];
  if (after && known === wanted) return [];
  if (after && !after.deletion && isLong(wanted)) {
    return [{ put: encodeText(tenant, after, requireText(wanted)), replacedBytes: longTextBytes(known) }];
  }
  if (!before || !isLong(known)) return [];
  return [{ remove: textKey(tenant, before.kind, before.entity.id), replacedBytes: longTextBytes(known) }];
}
