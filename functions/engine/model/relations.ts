/** References between kinds, as the schema has them. */
import { type Kind, type Relation, schemaInUse } from './schema.ts';

/** Returns the references that entities of a kind hold. */
export const referencesOf = (kind: Kind): Relation[] =>
  schemaInUse().relations.filter(({ child }) => child === kind);

/** Returns whether a field of a kind is an array of references. */
export const isArray = (kind: Kind, field: string): boolean =>
  referencesOf(kind).some((relation) => relation.field === field && relation.isArray === true);

/** Returns the references to entities of a kind. */
export const dependentsOf = (kind: Kind): Relation[] =>
  schemaInUse().relations.filter(({ parent }) => parent === kind);

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

/**
 * Returns the relation between two kinds.
 * @throws TypeError when there is none.
 */
export function relationOf(child: Kind, parent: Kind): Relation {
  const found = referencesOf(child).find((relation) => relation.parent === parent);
  if (!found) throw new TypeError(`There is no relation from ${child} to ${parent}.`);
  return found;
}
