/**
 * References between kinds, as data. A write checks that the entities it refers to exist; a deletion finds the entities that
 * refer to the deleted one.
 */

export type Kind = 'organization' | 'project' | 'user' | 'task' | 'tag';

export interface Relation {
  /** The kind that refers. */
  readonly child: Kind;
  /** The field that holds the reference: one id or null, or an array of ids. */
  readonly field: string;
  /** The kind referred to. */
  readonly parent: Kind;
  /** What a deletion of the parent does: deletes the child, or removes the reference from it. */
  readonly onDelete: 'cascade' | 'setNull';
  readonly isArray?: boolean;
  /** Whether the child cannot be without it. */
  readonly isRequired?: boolean;
  /** Whether the index `by-parent` lists the children by this parent. An entity is in it once, so a kind has one such field at most. */
  readonly isIndexed?: boolean;
}

export const relations: readonly Relation[] = [
  {
    child: 'project',
    field: 'organizationId',
    parent: 'organization',
    onDelete: 'cascade',
    isRequired: true,
    isIndexed: true,
  },
  { child: 'user', field: 'organizationId', parent: 'organization', onDelete: 'setNull', isIndexed: true },
  { child: 'tag', field: 'organizationId', parent: 'organization', onDelete: 'setNull', isIndexed: true },
  { child: 'task', field: 'projectId', parent: 'project', onDelete: 'cascade', isIndexed: true },
  { child: 'task', field: 'userId', parent: 'user', onDelete: 'setNull' },
  { child: 'task', field: 'tagIds', parent: 'tag', onDelete: 'setNull', isArray: true },
];

/** Returns the references that entities of a kind hold. */
export const referencesOf = (kind: Kind): Relation[] => relations.filter(({ child }) => child === kind);

/** Returns whether a field of a kind is an array of references. */
export const isArray = (kind: Kind, field: string): boolean =>
  referencesOf(kind).some((relation) => relation.field === field && relation.isArray === true);

/** Returns the references to entities of a kind. */
export const dependentsOf = (kind: Kind): Relation[] => relations.filter(({ parent }) => parent === kind);

/** Returns the kinds of the entities that the deletion of one of a kind removes besides: a kind comes before those that refer to it. */
export const cascadeKinds = (kind: Kind): Kind[] => {
  const children = dependentsOf(kind).filter(({ onDelete }) => onDelete === 'cascade');
  return [...new Set(children.flatMap(({ child }) => [child, ...cascadeKinds(child)]))];
};

/**
 * Returns the relation between two kinds.
 * @throws TypeError when there is none.
 */
export function relationOf(child: Kind, parent: Kind): Relation {
  const found = relations.find((relation) => relation.child === child && relation.parent === parent);
  if (!found) throw new TypeError(`There is no relation from ${child} to ${parent}.`);
  return found;
}
