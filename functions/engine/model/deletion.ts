/**
 * Deletions. The item of a deleted entity stays for some time, so that it can be restored. It is in none of the indexes that lists read, but in a
 * partition of the deleted entities of its kind in `by-status`: those that one deletion has removed are next to each other.
 */
import type { DeletedEntity, Deletion, ItemFields, StoredEntity } from './entity.ts';
import { byStatusBetween } from './index-partitions.ts';
import { idOfPartition, kindPartition } from './keys.ts';
import type { Kind } from './schema.ts';
import { sortableText } from './sortable-number.ts';
import { table } from './table.ts';
import type { Item } from './writes.ts';

/** Days for which a deleted entity can be restored. */
export const restorableDays = 30;

const dayMs = 86_400_000;

/**
 * Days for which its item stays at least: one more, so that a restore which begins at the last moment finds all that the deletion has removed, also
 * when a job needs hours; and longer than an own id can be used again.
 */
const keptDays = restorableDays + 1;

/** The attributes that only items of deleted entities have. */
export const deletionAttributes: readonly string[] = ['deletedAt', 'deletedBy', 'rootKind', 'erased'];

/** Returns whether an item is that of a deleted entity. */
export const isDeletedItem = (item: Item): boolean => 'deletedAt' in item;

/** Returns the deletion of an entity. @param nowMs milliseconds since 1970. */
export function newDeletion(
  { kind, entity: { id, updatedAt } }: StoredEntity,
  deletedBy: string | undefined,
  nowMs: number,
): Deletion {
  // A restore sets `updatedAt` to a later time than that of the deletion before it.
  const deletedAt = Math.max(nowMs, Date.parse(updatedAt));
  return { deletedAt, ...(deletedBy !== undefined && { deletedBy }), root: { kind, id } };
}

/** Returns whether two deletions have the same root: a caller has deleted it twice, or they are the same one. */
export const isSameRoot = ({ root: one }: Deletion, { root: other }: Deletion): boolean =>
  one.id === other.id && one.kind === other.kind;

/** Returns whether two deletions are the same one. */
export const isSameDeletion = (one: Deletion, other: Deletion): boolean =>
  one.deletedAt === other.deletedAt && isSameRoot(one, other);

/** Returns whether a caller has deleted the entity itself, not one that it belongs to. */
export const isRoot = ({ kind, entity, deletion }: DeletedEntity): boolean =>
  isRootOf(deletion, kind, entity.id);

/** Returns whether an entity is the root of a deletion. */
export const isRootOf = ({ root }: Deletion, kind: Kind, id: string): boolean =>
  root.kind === kind && root.id === id;

/** Returns the time of the deletions that have expired, and of all earlier ones. @param nowMs milliseconds since 1970. */
export const expiredAt = (nowMs: number): number => nowMs - restorableDays * dayMs;

/** Returns whether an entity can be restored no more, also while DynamoDB has not deleted its item yet. */
export const isExpired = ({ deletedAt, isErased }: Deletion, nowMs: number): boolean =>
  isErased === true || deletedAt <= expiredAt(nowMs);

/**
 * Returns what is left of an erased entity until it would have expired: its id and its version. The columns of lists still have a row of the deletion,
 * so a new entity with the id would be absent from them.
 */
export const erased = ({
  kind,
  version,
  logPosition,
  entity: { id },
  deletion,
}: DeletedEntity): DeletedEntity => ({
  kind,
  version,
  ...(logPosition !== undefined && { logPosition }),
  entity: { id } as ItemFields,
  deletion: { deletedAt: deletion.deletedAt, root: { kind, id }, isErased: true },
});

/** Returns when DynamoDB may delete the items of a deletion, in seconds since 1970. */
export const expiryOf = ({ deletedAt }: Deletion): number =>
  Math.ceil((deletedAt + keptDays * dayMs) / 1_000);

/** Returns the partition of `by-status` that holds the deleted entities of a kind. */
const deletedPartition = (tenant: string, kind: Kind): string => `${kindPartition(tenant, kind)}#deleted`;

/** Where a deleted entity is among the others of its kind in the index. */
export interface DeletedPlace {
  readonly deletedAt: number;
  readonly rootId: string;
  readonly id: string;
}

export const placeOf = ({ entity: { id }, deletion: { deletedAt, root } }: DeletedEntity): DeletedPlace => ({
  deletedAt,
  rootId: root.id,
  id,
});

const deletedSortKey = ({ deletedAt, rootId, id }: DeletedPlace): string =>
  `${sortableText(deletedAt)}#${rootId}#${id}`;

/** Returns the attributes by which the item of a deleted entity differs from that of the entity. */
export function encodeDeletion(tenant: string, deleted: DeletedEntity): Record<string, unknown> {
  const { kind, deletion } = deleted;
  const { deletedAt, deletedBy, root, isErased } = deletion;
  const kept = { deletedAt, [table.timeToLive]: expiryOf(deletion) };
  if (isErased) return { ...kept, erased: true };
  return {
    ...kept,
    ofKind: deletedPartition(tenant, kind),
    byStatus: deletedSortKey(placeOf(deleted)),
    ...(deletedBy !== undefined && { deletedBy }),
    ...(root.kind !== kind && { rootKind: root.kind }),
  };
}

/** Returns the deletion that an item of a deleted entity has. */
export function decodeDeletion(item: Item): Deletion {
  const deletedAt = item['deletedAt'] as number;
  const kind = (item['rootKind'] ?? item['kind']) as Kind;
  if (item['erased']) return { deletedAt, root: { kind, id: idOfPartition(item.pk) }, isErased: true };
  const [, id = ''] = String(item['byStatus']).split('#');
  const deletedBy = item['deletedBy'] as string | undefined;
  return { deletedAt, ...(deletedBy !== undefined && { deletedBy }), root: { kind, id } };
}

/** Returns the query for the deleted entities that one deletion has removed of a kind. @param after begins after the entity with this id. */
export function queryOfDeletion(tenant: string, kind: Kind, { deletedAt, root }: Deletion, after: string) {
  const keyOf = (id: string): string => deletedSortKey({ deletedAt, rootId: root.id, id });
  // "!" sorts before the characters of ids, and "~" after them.
  return byStatusBetween(deletedPartition(tenant, kind), keyOf(`${after}!`), keyOf('~'));
}

/** Returns the query for the deleted entities of a kind that can be restored, the last deleted first. @param before begins before this one. */
export function deletedQuery(tenant: string, kind: Kind, nowMs: number, before?: DeletedPlace) {
  const last = before ? deletedSortKey(before) : '~';
  const range = byStatusBetween(deletedPartition(tenant, kind), `${sortableText(expiredAt(nowMs))}~`, last);
  return { ...range, ScanIndexForward: false };
}
