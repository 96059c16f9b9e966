/**
 * Who refers to whom: the referential rules of the whole model, as data. The store reads them from both ends:
 * a write checks that what it refers to exists, a deletion finds what refers to the deleted entity.
 */

/** The kinds of entity. */
export type Kind = 'organization' | 'project' | 'user' | 'task' | 'tag';

export interface Relation {
  /** The kind that refers. */
  readonly child: Kind;
  /** The member that holds the reference: one id or null, or an array of ids. */
  readonly member: string;
  /** The kind referred to. */
  readonly parent: Kind;
  /** What becomes of the child with its parent: it goes too, or it stays and loses the reference. */
  readonly whenDeleted: 'delete' | 'clear';
  /** The index family that lists children by this parent; none means that the kind's whole listing is filtered. */
  readonly listing?: 'parent' | 'other-parent';
}

export const relations: readonly Relation[] = [
  {
    child: 'project',
    member: 'organizationId',
    parent: 'organization',
    whenDeleted: 'delete',
    listing: 'parent',
  },
  {
    child: 'user',
    member: 'organizationId',
    parent: 'organization',
    whenDeleted: 'clear',
    listing: 'parent',
  },
  { child: 'tag', member: 'organizationId', parent: 'organization', whenDeleted: 'clear', listing: 'parent' },
  { child: 'task', member: 'projectId', parent: 'project', whenDeleted: 'delete', listing: 'parent' },
  { child: 'task', member: 'userId', parent: 'user', whenDeleted: 'clear', listing: 'other-parent' },
  { child: 'task', member: 'tagIds', parent: 'tag', whenDeleted: 'clear' },
];

/** What `kind` refers to. */
export const referencesOf = (kind: Kind): Relation[] => relations.filter(({ child }) => child === kind);

/** What refers to `kind`. */
export const dependentsOf = (kind: Kind): Relation[] => relations.filter(({ parent }) => parent === kind);
