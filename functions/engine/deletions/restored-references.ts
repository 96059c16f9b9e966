/**
 * References of entities that are restored. One to an entity that does not exist is removed. If that is deleted with what belonged to it, and can be restored,
 * its id is kept beside the reference, and becomes the reference again when it is back.
 */
import { now } from '../../runtime/time-and-chance.ts';
import { readChildren } from '../lists/children.ts';
import { isGuard, isOpen, membersRuleOf } from '../model/access.ts';
import { buildUpdate, type Change } from '../model/changes.ts';
import { isExpired, isRestorable, isRoot, isSameDeletion } from '../model/deletion.ts';
import type { AnyEntity, DeletedEntity, Deletion, StoredEntity } from '../model/entity.ts';
import { decodeAnyEntity } from '../model/item-codec.ts';
import { entityKey } from '../model/keys.ts';
import { isOwnership, keptReference, ownershipOf, ownersIn, referencesOf } from '../model/relations.ts';
import type { Kind, Relation } from '../model/schema.ts';
import type { Item } from '../model/writes.ts';
import type { Session } from '../table/session.ts';
import { type EntitiesOfKind, nameOf } from './descendants.ts';

/** Returns the ids that a reference has, or that is kept beside it. */
const idsIn = (relation: Relation, { entity }: AnyEntity): string[] =>
  [entity[relation.field] ?? entity[keptReference(relation).field] ?? []].flat() as string[];

/** Returns the references that an entity keeps, to entities that were deleted when it was restored. */
const keptIn = ({ kind, entity }: AnyEntity) =>
  ownersIn(kind).flatMap((relation) => {
    const kept = keptReference(relation).field;
    const id = entity[kept];
    return id ? [{ field: relation.field, kept, parent: relation.parent, id: String(id) }] : [];
  });

export const keepsReference = (stored: AnyEntity): boolean => keptIn(stored).length > 0;

interface RestoredReferences {
  /** The fields that get other values than before the deletion. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The reference without which the entity cannot be, or would be seen by all. */
  readonly required: Relation | undefined;
  /** If no owner of the entity exists or comes back: the deletion of one of them, which can be restored if any can. Owners that are only kept beside a reference do not count. */
  readonly ofOwners: Deletion | undefined;
}

/** What a reference names: an entity that exists or comes back, one that is deleted, or nothing. */
type Target = 'exists' | Deletion | undefined;

interface Targets {
  find(kind: Kind, id: string): Target;
  /** Returns whether all see a deleted entity, as far as is known. */
  isOpen(kind: Kind, id: string): boolean;
}

const targetsOf = (relation: Relation, stored: AnyEntity, find: (kind: Kind, id: string) => Target) =>
  idsIn(relation, stored).map((id) => ({ id, target: find(relation.parent, id) }));

/** Returns the values that a reference gets, and what is kept of it, if they are others. */
function changedFields(
  relation: Relation,
  { entity }: AnyEntity,
  targets: ReturnType<typeof targetsOf>,
): Record<string, unknown> {
  const { field, isArray } = relation;
  const found = targets.filter(({ target }) => target === 'exists').map(({ id }) => id);
  if (isArray) return found.length < targets.length ? { [field]: found } : {};
  const [value = null] = found;
  const [{ id, target } = { id: null, target: undefined }] = targets;
  const isKept = typeof target === 'object' && !isExpired(target, now()) && isOwnership(relation);
  const kept = isKept ? id : null;
  const { field: keptField } = keptReference(relation);
  return {
    ...(value !== (entity[field] ?? null) && { [field]: value }),
    ...(kept !== (entity[keptField] ?? null) && { [keptField]: kept }),
  };
}

function restoredReferences(stored: AnyEntity, { find, isOpen }: Targets): RestoredReferences {
  const all = referencesOf(stored.kind).map((relation) => ({
    relation,
    targets: targetsOf(relation, stored, find),
  }));
  // Without the reference, an entity that some see would be seen by all.
  const wouldOpen = (relation: Relation, id: string): boolean =>
    isGuard(relation) && !isOpen(relation.parent, id);
  const owners = all.filter(({ relation }) => isOwnership(relation) && stored.entity[relation.field]);
  const deletions = owners.map(({ targets }) => targets[0]?.target);
  const later = deletions.filter((target) => typeof target === 'object');
  return {
    fields: Object.assign(
      {},
      ...all.map(({ relation, targets }) => changedFields(relation, stored, targets)),
    ),
    required: all.find(({ relation, targets }) =>
      targets.some(
        ({ id, target }) => target !== 'exists' && (relation.isRequired || wouldOpen(relation, id)),
      ),
    )?.relation,
    ofOwners: deletions.includes('exists') ? undefined : (later.findLast(isRestorable) ?? later.at(-1)),
  };
}

/** Returns whether all see the entity of an item, as far as the item tells. */
function isOpenItem(item: Item): boolean {
  const { kind, entity, deletion } = decodeAnyEntity(item);
  const rule = membersRuleOf(kind);
  return rule !== undefined && !deletion?.isErased && isOpen(rule, entity);
}

interface Returning {
  /** All that this deletion has removed, in the order of its members. What comes before those that are read is back, or stays deleted. */
  readonly deletion?: Deletion | undefined;
  readonly entities?: readonly DeletedEntity[];
  /** Whether what cannot come back becomes a deletion of its own. */
  readonly isLast?: boolean;
}

export const ownDeletion = ({ kind, entity: { id }, deletion }: DeletedEntity): Deletion => ({
  ...deletion,
  root: { kind, id },
});

/** Returns the deletion that an entity stays in, or goes to; `undefined` when it comes back. */
function deletionAfter(
  one: DeletedEntity,
  { required, ofOwners }: RestoredReferences,
  isLast: boolean,
): Deletion | undefined {
  if (ofOwners || !required) return ofOwners;
  return isLast ? ownDeletion(one) : one.deletion;
}

/** Reads what entities refer to, consistently. Returns what their references become. */
export async function readReferences(
  { tenant, database }: Session,
  stored: readonly DeletedEntity[],
  { deletion, entities = [], isLast = false }: Returning = {},
): Promise<RestoredReferences[]> {
  const keyOf = ({ kind, entity }: DeletedEntity): string => entityKey(tenant, kind, entity.id).pk;
  const returning = new Set((deletion ? stored : entities).map(keyOf));
  const last = stored.at(-1);
  const isLater = ({ kind, entity: { id } }: AnyEntity): boolean =>
    kind === last?.kind && id > last.entity.id;
  const keys = stored.flatMap((one) =>
    referencesOf(one.kind).flatMap((relation) =>
      idsIn(relation, one).map((id) => entityKey(tenant, relation.parent, id)),
    ),
  );
  const distinct = [...new Map(keys.map((key) => [key.pk, key])).values()];
  const items = await database.getMany(distinct, true, { withDeleted: true });
  const targets = new Map(
    items.map((item): [string, Target] => {
      const found = decodeAnyEntity(item);
      const { deletion: own } = found;
      // A parent that was deleted again after this deletion, and then erased: its children are erased with it.
      const isOfLater = own !== undefined && deletion !== undefined && own.deletedAt > deletion.deletedAt;
      if (own?.isErased && !isOfLater) return [item.pk, undefined];
      const isOfDeletion = own !== undefined && deletion !== undefined && isSameDeletion(own, deletion);
      const isNext = isOfDeletion && (isRoot(found as DeletedEntity) || isLater(found));
      return [item.pk, !own || isNext || returning.has(item.pk) ? 'exists' : own];
    }),
  );
  const open = new Set(items.flatMap((item) => (isOpenItem(item) ? item.pk : [])));
  const find = (kind: Kind, id: string) => targets.get(entityKey(tenant, kind, id).pk);
  const isOpenTarget = (kind: Kind, id: string) => open.has(entityKey(tenant, kind, id).pk);
  // An entity can belong to one that stays deleted, in any order: each round settles one level of them at least.
  for (let level = 0; ; level += 1) {
    let isSettled = true;
    const references = stored.map((one) => {
      const own = restoredReferences(one, { find, isOpen: isOpenTarget });
      const after = deletionAfter(one, own, isLast);
      const known = targets.get(keyOf(one));
      if (after && !(typeof known === 'object' && isSameDeletion(known, after))) {
        targets.set(keyOf(one), after);
        isSettled = false;
      }
      return own;
    });
    if (isSettled || level === stored.length) return references;
  }
}

/**
 * Returns entities that keep references to restored ones.
 * @param limit of the entities, about. When there are more, others are found once these have their references.
 */
export async function findKeeping(
  session: Session,
  restored: readonly EntitiesOfKind[],
  limit: number,
): Promise<StoredEntity[]> {
  const found = new Map<string, StoredEntity>();
  for (const { kind, ids } of restored) {
    for (const relation of ownershipOf(kind)) {
      if (relation.isRequired || ids.length === 0 || found.size >= limit) continue;
      const range = { limit: limit - found.size };
      const { children } = await readChildren(session, keptReference(relation), ids, range);
      for (const child of children) found.set(nameOf(child), child);
    }
  }
  return [...found.values()];
}

/** Returns the changes that give entities the references again that they keep. @param exists whether an entity exists, or will at the same time. */
export function buildReturned(
  keeping: readonly StoredEntity[],
  exists: (kind: Kind, id: string) => boolean,
): Change[] {
  return keeping.flatMap((one) => {
    const back = keptIn(one).filter(({ parent, id }) => exists(parent, id));
    const fields = Object.assign({}, ...back.map(({ field, kept, id }) => ({ [field]: id, [kept]: null })));
    return back.length === 0 ? [] : [buildUpdate(one, fields, now())];
  });
}

export async function buildReturnedNow(
  { tenant, database }: Session,
  keeping: readonly StoredEntity[],
): Promise<Change[]> {
  const keys = keeping.flatMap(keptIn).map(({ parent, id }) => entityKey(tenant, parent, id));
  const distinct = [...new Map(keys.map((key) => [key.pk, key])).values()];
  const existing = new Set((await database.getMany(distinct, true)).map(({ pk }) => pk));
  return buildReturned(keeping, (kind, id) => existing.has(entityKey(tenant, kind, id).pk));
}
