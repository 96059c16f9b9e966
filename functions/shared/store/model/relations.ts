/**
 * References between kinds, as data. A write checks that the entities it refers to exist; a deletion finds the entities that
 * refer to the deleted one.
 */
import type { IndexFamily } from './table.ts';

/** The kinds of entity. */
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
  /** The index that lists children by this parent. Without one, only the list engine finds them. */
  readonly index?: Exclude<IndexFamily, 'all'>;
}

export const relations: readonly Relation[] = [
  { child: 'project', field: 'organizationId', parent: 'organization', onDelete: 'cascade', index: 'parent' },
  { child: 'user', field: 'organizationId', parent: 'organization', onDelete: 'setNull', index: 'parent' },
  { child: 'tag', field: 'organizationId', parent: 'organization', onDelete: 'setNull', index: 'parent' },
  { child: 'task', field: 'projectId', parent: 'project', onDelete: 'cascade', index: 'parent' },
  { child: 'task', field: 'userId', parent: 'user', onDelete: 'setNull', index: 'other-parent' },
  { child: 'task', field: 'tagIds', parent: 'tag', onDelete: 'setNull' },
];

/** Returns the references that entities of a kind hold. */
export const referencesOf = (kind: Kind): Relation[] => relations.filter(({ child }) => child === kind);

/** Returns the references to entities of a kind. */
export const dependentsOf = (kind: Kind): Relation[] => relations.filter(({ parent }) => parent === kind);

/**
 * Returns the relation between two kinds.
 * @throws TypeError when there is none.
 */
export function relationOf(child: Kind, parent: Kind): Relation {
  const found = relations.find((relation) => relation.child === child && relation.parent === parent);
  if (!found) throw new TypeError(`There is no relation from ${child} to ${parent}.`);
  return found;
}
