/**
 * Deletions. A deleted entity stays for some time, so that it can be restored: its item, which no index has then, and its row, with the fields of the
 * deletion. So lists find deleted entities as they find others, and what a deletion has removed is a list.
 */
import { dayMs } from '../../runtime/time-and-chance.ts';
import type { AnyEntity, DeletedEntity, Deletion, ItemFields, StoredEntity } from './entity.ts';
import { idOfPartition } from './keys.ts';
import { type Row, toRow } from './row.ts';
import type { Kind } from './schema.ts';
import { table } from './table.ts';
import type { Item } from './writes.ts';

export const restorableDays = 30;

/**
 * Days for which its item stays at least: one more, so that a restore which begins at the last moment finds all that the deletion has removed, also
 * when a job needs hours; and longer than an own id can be used again.
 */
const keptDays = restorableDays + 1;

export const keptMs = keptDays * dayMs;

export const deletionAttributes: readonly string[] = [
  ...['deletedAt', 'deletedBy', 'deletedWith', 'rootKind', 'moves', 'erased'],
];

export const isDeletedItem = (item: Item): boolean => 'deletedAt' in item;

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

export const isSameDeletion = (one: Deletion, other: Deletion): boolean =>
  one.deletedAt === other.deletedAt && isSameRoot(one, other);

/** Returns whether a caller has deleted the entity itself, not one that it belongs to. */
export const isRoot = ({ kind, entity, deletion }: DeletedEntity): boolean =>
  isRootOf(deletion, kind, entity.id);

export const isRootOf = ({ root }: Deletion, kind: Kind, id: string): boolean =>
  root.kind === kind && root.id === id;

/** Returns the time of the deletions that have expired, and of all earlier ones. */
export const expiredAt = (nowMs: number): number => nowMs - restorableDays * dayMs;

/** Returns whether an entity can be restored no more, also while DynamoDB has not deleted its item yet. */
export const isExpired = ({ deletedAt, isErased }: Deletion, nowMs: number): boolean =>
  isErased === true || deletedAt <= expiredAt(nowMs);

/** Returns whether something is left of a deleted entity; false for one that exists. */
export const isRestorable = (deletion: Deletion | undefined): boolean =>
  deletion !== undefined && deletion.isErased !== true;

/**
 * Returns what is left of an erased entity until it would have expired: its id and its version. Until then, callers can use the id for a new entity, which
 * would have the versions of the erased one again.
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
export const expiryOf = ({ deletedAt }: Deletion): number => Math.ceil((deletedAt + keptMs) / 1_000);

/** The fields that only rows of deleted entities have. In rows of restored ones, they are null: a change cannot take a field away from a row. */
export const rowOfDeletion = {
  /** RFC 3339. */
  deletedAt: 'deletedAt',
  deletedBy: 'deletedBy',
  /** The id and the kind of the root; null in the row of a root. */
  deletedWith: 'deletedWith',
  rootKind: 'rootKind',
} as const;

const deletionFields = Object.values(rowOfDeletion);

/** The values of these fields in rows of entities that exist. */
export const notDeleted: Row = Object.fromEntries(deletionFields.map((field) => [field, null]));

/** Returns the row that the log and the columns have of an entity; none of an erased one. */
export function storedRow(stored: AnyEntity): Row | undefined {
  const { entity, deletion } = stored;
  if (!deletion) return toRow(entity);
  const { deletedAt, deletedBy = null, root, isErased } = deletion;
  if (isErased) return undefined;
  const [deletedWith, rootKind] = isRoot(stored) ? [null, null] : [root.id, root.kind];
  return {
    ...toRow(entity),
    deletedAt: new Date(deletedAt).toISOString(),
    deletedBy,
    deletedWith,
    rootKind,
  };
}

/** Returns when the entity of a row was deleted, RFC 3339; `null` when it exists. */
export const deletedAtOf = (row: Row): string | null => row[rowOfDeletion.deletedAt] ?? null;

/** Returns the deletion that the row of a deleted entity has; `undefined` when the entity exists. */
export function deletionOfRow(kind: Kind, id: string, row: Row): Deletion | undefined {
  const deletedAt = deletedAtOf(row);
  if (deletedAt === null) return undefined;
  const { deletedBy, deletedWith, rootKind } = row;
  const root = typeof deletedWith === 'string' ? { kind: rootKind ?? kind, id: deletedWith } : { kind, id };
  return { deletedAt: Date.parse(deletedAt), ...(deletedBy && { deletedBy }), root };
}

/** Returns the row of an entity that exists, without the fields of deletions; `undefined` for a deleted one. Readers of changes see no others. */
export function existingRow(row: Row | undefined): Row | undefined {
  if (!row || !(rowOfDeletion.deletedAt in row)) return row;
  if (deletedAtOf(row) !== null) return undefined;
  const { deletedAt: _at, deletedBy: _by, deletedWith: _with, rootKind: _kind, ...fields } = row;
  return fields;
}

/** Returns the attributes by which the item of a deleted entity differs from that of the entity. */
export function encodeDeletion(deleted: DeletedEntity): Record<string, unknown> {
  const { deletion } = deleted;
  const { deletedAt, deletedBy, root, moves, isErased } = deletion;
  const kept = { deletedAt, [table.timeToLive]: expiryOf(deletion) };
  if (isErased) return { ...kept, erased: true };
  return {
    ...kept,
    ...(deletedBy !== undefined && { deletedBy }),
    ...(!isRoot(deleted) && { deletedWith: root.id, rootKind: root.kind }),
    ...(moves !== undefined && { moves }),
  };
}

interface ItemOfDeletion extends Pick<Deletion, 'deletedAt' | 'deletedBy' | 'moves'> {
  readonly kind: Kind;
  readonly deletedWith?: string;
  readonly rootKind?: Kind;
  readonly erased?: true;
}

export function decodeDeletion(item: Item): Deletion {
  const { deletedAt, deletedBy, deletedWith, rootKind, moves, kind, erased } =
    item as unknown as ItemOfDeletion;
  const own = { kind, id: idOfPartition(item.pk) };
  if (erased) return { deletedAt, root: own, isErased: true };
  const root = deletedWith === undefined ? own : { kind: rootKind ?? kind, id: deletedWith };
  return {
    deletedAt,
    ...(deletedBy !== undefined && { deletedBy }),
    root,
    ...(moves !== undefined && { moves }),
  };
}

/**
 * Returns the versions with the fields of a deleted entity, the last one first: that before its deletion, which callers know, and one for each move to a later
 * deletion. Rows do not tell how many moves there were, so lists show the last one.
 */
export const versionsBeforeDeletion = ({ version, deletion: { moves = 0 } }: DeletedEntity): number[] =>
  Array.from({ length: moves + 1 }, (_, move) => version - 1 - move);

/** The field of deleted entities, as lists show them, that tells how many others a restore brings back with one. */
export const restoresField = 'restores';
