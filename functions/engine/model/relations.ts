import { type Kind, type Relation, schemaInUse } from './schema.ts';

export const referencesOf = (kind: Kind): Relation[] =>
  schemaInUse().relations.filter(({ child }) => child === kind);

export const isArray = (kind: Kind, field: string): boolean =>
  referencesOf(kind).some((relation) => relation.field === field && relation.isArray === true);

/** Returns the references to entities of a kind. */
export const dependentsOf = (kind: Kind): Relation[] =>
  schemaInUse().relations.filter(({ parent }) => parent === kind);

/** Returns whether entities are deleted with the one that they refer to. */
export const isOwnership = ({ onDelete, isArray }: Relation): boolean => onDelete === 'cascade' && !isArray;

/** Returns the references of entities of a kind to those with which they are deleted. */
export const ownersIn = (kind: Kind): Relation[] => referencesOf(kind).filter(isOwnership);

/** Returns the references to entities of a kind of those that are deleted with them. */
export const ownershipOf = (kind: Kind): Relation[] => dependentsOf(kind).filter(isOwnership);

/** Returns whether a field of rows and items is the store's own: no response shows it. */
export const isStoreField = (field: string): boolean => field.startsWith('$');

/** Returns the field beside a reference that keeps the id of a deleted entity, with which the reference comes back. */
export const keptReference = (relation: Relation): Relation => ({ ...relation, field: `$${relation.field}` });

/** Returns the reference of entities to others of their kind, which makes trees of them; `undefined` when a kind has none. */
export const treeOf = (kind: Kind): Relation | undefined =>
  referencesOf(kind).find(({ parent }) => parent === kind);

/** Returns the kinds of the entities that the deletion of one of a kind removes besides: a kind comes before others that refer to it. */
export function cascadeKinds(kind: Kind, found: Kind[] = []): Kind[] {
  for (const { child, onDelete } of dependentsOf(kind))
    if (onDelete === 'cascade' && !found.includes(child)) {
      found.push(child);
      cascadeKinds(child, found);
    }
  return found;
}

export function relationOf(child: Kind, parent: Kind): Relation {
  const found = referencesOf(child).find((relation) => relation.parent === parent);
  if (!found) throw new TypeError(`There is no relation from ${child} to ${parent}.`);
  return found;
}
