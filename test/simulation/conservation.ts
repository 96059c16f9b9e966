/**
 * Conservation: what nobody asked to change stays as it is. A deletion and a restore keep all fields; a restore keeps the references to what exists, or
 * can come back; and what a deletion has removed can come back with its root, or is there again.
 */
import { isDeepStrictEqual } from 'node:util';
import '#functions/schema.ts';
import { isExpired, isRoot, isSameDeletion } from '#functions/engine/model/deletion.ts';
import type { AnyEntity, DeletedEntity } from '#functions/engine/model/entity.ts';
import { decodeAnyEntity } from '#functions/engine/model/item-codec.ts';
import { entitySortKey } from '#functions/engine/model/keys.ts';
import { isOwnership, keptReference, ownersIn, referencesOf } from '#functions/engine/model/relations.ts';
import type { Relation } from '#functions/engine/model/schema.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import type { Kind } from './list-model.ts';

const isErased = ({ deletion }: AnyEntity): boolean => deletion?.isErased === true;

const nameOf = ({ kind, entity: { id, name } }: AnyEntity): string => `The ${kind} ${id} (${String(name)})`;

const idsIn = ({ entity }: AnyEntity, { field }: Relation): string[] =>
  [entity[field] ?? []].flat() as string[];

/** Fields that change with each write, and the one that an archive changes. */
const ofEachWrite = ['updatedAt', 'status'];

/** What a history knows of other entities. */
interface Known {
  readonly exists: (kind: Kind, id: string) => boolean;
  /** Whether an operator has erased it by its id. */
  readonly wasErased: (id: string) => boolean;
  readonly wasDeleted: (id: string) => boolean;
  readonly isInTrash: (kind: Kind, id: string) => boolean;
}

function requireFields(before: AnyEntity, after: AnyEntity, relations: readonly Relation[]): void {
  const references = relations.flatMap((one) => [one.field, keptReference(one).field]);
  const ignored = new Set([...ofEachWrite, ...references]);
  for (const field of new Set([...Object.keys(before.entity), ...Object.keys(after.entity)]))
    if (!ignored.has(field) && !isDeepStrictEqual(before.entity[field], after.entity[field]))
      throw new Error(`${nameOf(after)} has lost its ${field}.`);
}

/** Only a deletion takes a reference away, and the audit one of a cycle. One to what can come back is kept beside it. */
function requireReferences(before: AnyEntity, after: AnyEntity, relation: Relation, known: Known): void {
  const parent = relation.parent as Kind;
  const kept = keptReference(relation);
  const left = new Set([...idsIn(after, relation), ...idsIn(after, kept)]);
  for (const id of [...idsIn(before, relation), ...idsIn(before, kept)]) {
    if (left.has(id)) continue;
    const comesBack = isOwnership(relation) && before.deletion && known.isInTrash(parent, id);
    const mayBeGone = parent === after.kind || known.wasDeleted(id);
    if (comesBack || !mayBeGone) throw new Error(`${nameOf(after)} has lost its ${relation.field} ${id}.`);
  }
}

/** An operator erases a deletion. What another one has removed is erased with it only if it belongs to nothing that exists. */
function requireErasable(before: AnyEntity, { exists, wasErased }: Known): void {
  const { deletion, entity } = before;
  if (!deletion || wasErased(entity.id) || wasErased(deletion.root.id)) return;
  for (const relation of ownersIn(before.kind))
    for (const id of idsIn(before, relation))
      if (exists(relation.parent as Kind, id))
        throw new Error(`${nameOf(before)} was erased, but the ${relation.parent} ${id} exists.`);
}

/** Requires that a write without another name, as that of a job, changes references alone, and these to what is gone or has come back. */
export function requireKept(before: AnyEntity, after: AnyEntity, known: Known): void {
  if (isErased(after) && !isErased(before)) requireErasable(before, known);
  if (isErased(after) || isErased(before) || after.entity['name'] !== before.entity['name']) return;
  const relations = referencesOf(after.kind);
  requireFields(before, after, relations);
  for (const relation of relations) requireReferences(before, after, relation, known);
}

/** Requires of a quiet world that all that is deleted can come back with the root of its deletion, and that all that came back is whole. */
export function requireRestorable(stored: readonly Item[], nowMs: number): void {
  const items = stored.filter(({ sk }) => sk === entitySortKey);
  const all = new Map(
    items.map(decodeAnyEntity).map((one) => [`${one.kind}/${one.entity.id}`, one as AnyEntity]),
  );
  for (const one of all.values()) {
    if (one.deletion) requireWithRoot(one as DeletedEntity, all, nowMs);
    else requireReturned(one, all);
  }
}

/** The root of its deletion is deleted, and so is an entity that it belongs to, by the same deletion. */
function requireWithRoot(one: DeletedEntity, all: ReadonlyMap<string, AnyEntity>, nowMs: number): void {
  const { deletion } = one;
  if (isRoot(one) || isExpired(deletion, nowMs)) return;
  const isOfDeletion = (other: AnyEntity | undefined): boolean =>
    other?.deletion !== undefined && isSameDeletion(other.deletion, deletion) && !isErased(other);
  const root = all.get(`${deletion.root.kind}/${deletion.root.id}`);
  if (!root || !isOfDeletion(root))
    throw new Error(
      `${nameOf(one)} stays deleted, but the ${deletion.root.kind} ${deletion.root.id} has come back.`,
    );
  const ownersOf = (of: AnyEntity): (AnyEntity | undefined)[] =>
    ownersIn(of.kind).flatMap((relation) =>
      [...idsIn(of, relation), ...idsIn(of, keptReference(relation))].map((id) =>
        all.get(`${relation.parent}/${id}`),
      ),
    );
  // A caller can move what a deletion has not reached yet: what was below it is left with the root.
  const isBelowRoot = (of: AnyEntity | undefined, levels = 20): boolean =>
    of !== undefined &&
    (of === root || (levels > 0 && ownersOf(of).some((owner) => isBelowRoot(owner, levels - 1))));
  const owners = ownersOf(one);
  // What belongs to something that was erased is left with the root.
  if (owners.length > 0 && owners.every((owner) => owner && !owner.deletion && isBelowRoot(owner)))
    throw new Error(`${nameOf(one)} stays deleted, but what it belongs to has come back.`);
}

/** References that were kept are back when what they name is. */
function requireReturned(one: AnyEntity, all: ReadonlyMap<string, AnyEntity>): void {
  for (const relation of referencesOf(one.kind))
    for (const id of idsIn(one, keptReference(relation)))
      if (all.get(`${relation.parent}/${id}`)?.deletion === undefined && all.has(`${relation.parent}/${id}`))
        throw new Error(`${nameOf(one)} lacks its ${relation.field} ${id}, which has come back.`);
}
