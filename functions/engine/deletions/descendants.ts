/** What deletions change besides their roots: children are deleted with their parent, or lose the reference to it. */

import { groupBy } from '../../runtime/group-by.ts';
import { now } from '../../runtime/time-and-chance.ts';
import { readChildren } from '../lists/children.ts';
import { isGuard } from '../model/access.ts';
import { buildDeletion, buildUpdate, type Change } from '../model/changes.ts';
import type { AnyEntity, Deletion, StoredEntity } from '../model/entity.ts';
import { dependentsOf } from '../model/relations.ts';
import type { Kind, Relation } from '../model/schema.ts';
import type { Session } from '../table/session.ts';

interface ParentDeletion extends Deletion {
  /** Whether nothing is left of the parent, which can never be restored. */
  readonly isLost?: boolean;
}

/** The deletions that deleted entities of one kind belong to, by their ids. */
export type Deletions = ReadonlyMap<string, ParentDeletion>;

function withoutReferences({ field }: Relation, { entity }: StoredEntity, parentIds: readonly string[]) {
  const value = entity[field];
  return { [field]: Array.isArray(value) ? value.filter((id) => !parentIds.includes(id as string)) : null };
}

/**
 * Returns the deletions that remove children, by their ids: those of their parents. A child whose parent is lost stays; if it cannot be without it, it is deleted
 * by itself.
 */
function deletionsOfChildren(
  { field, onDelete, isRequired }: Relation,
  children: readonly StoredEntity[],
  deletions: Deletions,
): Deletions {
  const ofChildren = new Map<string, Deletion>();
  if (onDelete === 'setNull') return ofChildren;
  for (const { kind, entity } of children) {
    const { isLost, ...deletion } = deletions.get(String(entity[field])) as ParentDeletion;
    if (!isLost) ofChildren.set(entity.id, deletion);
    else if (isRequired) ofChildren.set(entity.id, { ...deletion, root: { kind, id: entity.id } });
  }
  return ofChildren;
}

/** Returns the changes of children. Those without a deletion lose the reference, unless all would see them without it. */
function removeChildren(
  relation: Relation,
  children: readonly StoredEntity[],
  ofChildren: Deletions,
  parentIds: readonly string[],
): Change[] {
  return children.flatMap((child) => {
    const deletion = ofChildren.get(child.entity.id);
    if (deletion) return buildDeletion(child, deletion);
    if (isGuard(relation)) return [];
    return buildUpdate(child, withoutReferences(relation, child, parentIds), now());
  });
}

export const nameOf = ({ kind, entity }: Pick<StoredEntity, 'kind' | 'entity'>): string =>
  `${kind}/${entity.id}`;

export interface EntitiesOfKind {
  readonly kind: Kind;
  readonly ids: readonly string[];
}

export const byKind = (entities: readonly AnyEntity[]): EntitiesOfKind[] =>
  [...groupBy(entities, ({ kind }) => kind)].map(([kind, own]) => ({
    kind,
    ids: own.map(({ entity }) => entity.id),
  }));

interface Search {
  readonly kind: Kind;
  readonly deletions: Deletions;
  /** The names of what has a change already. An entity can be found in two ways: below its parent, and with what both belong to. */
  readonly found: Set<string>;
}

function addNew(found: Set<string>, children: readonly StoredEntity[]): StoredEntity[] {
  const others = children.filter((child) => !found.has(nameOf(child)));
  for (const child of others) found.add(nameOf(child));
  return others;
}

/**
 * Returns the changes of all descendants. An entity that refers to several of them has one change: DynamoDB refuses two writes of one item in a transaction.
 * @returns `undefined` when there are more: then they are left to the job.
 */
export async function findDescendants(
  session: Session,
  { kind, deletions, found }: Search,
  limit: number,
): Promise<Change[] | undefined> {
  if (deletions.size === 0) return [];
  const changes: Change[] = [];
  const parentIds = [...deletions.keys()];
  for (const relation of dependentsOf(kind)) {
    const maxTotal = limit - changes.length;
    const range = { limit: maxTotal, maxTotal };
    const page = await readChildren(session, relation, parentIds, range);
    if (page.total > maxTotal) return undefined;
    const children = addNew(found, page.children);
    const ofChildren = deletionsOfChildren(relation, children, deletions);
    changes.push(...removeChildren(relation, children, ofChildren, parentIds));
    const below = { kind: relation.child, deletions: ofChildren, found };
    const descendants = await findDescendants(session, below, limit - changes.length);
    if (!descendants) return undefined;
    changes.push(...descendants);
  }
  return changes;
}

/** A search ends when it has found so many changes. */
const pageSize = 100;

/** Reads the children that have no change yet, in pages, until it has at least one page of them. Children that have a change can be among them. */
async function readNew(
  session: Session,
  relation: Relation,
  parentIds: readonly string[],
  found: Set<string>,
): Promise<{ readonly children: readonly StoredEntity[]; readonly isEnd: boolean }> {
  const children: StoredEntity[] = [];
  for (let after: string | undefined = ''; children.length < pageSize; ) {
    const page = await readChildren(session, relation, parentIds, { after });
    children.push(...addNew(found, page.children));
    after = page.next;
    if (after === undefined) return { children, isEnd: true };
  }
  return { children, isEnd: false };
}

/**
 * Returns the changes of about a page of the descendants. An entity is removed with, or after, all that is below it. When half of the time is over, it takes what it
 * has found: what is below is found by the next pass, as children of what was removed.
 */
export async function findNextDescendants(
  session: Session,
  { kind, deletions, found }: Search,
  minLeftMs = session.database.deadline.remaining() / 2,
): Promise<{ readonly changes: readonly Change[]; readonly isEnd: boolean }> {
  const changes: Change[] = [];
  if (deletions.size === 0) return { changes, isEnd: true };
  const parentIds = [...deletions.keys()];
  for (const relation of dependentsOf(kind)) {
    const { children, isEnd } = await readNew(session, relation, parentIds, found);
    const ofChildren = deletionsOfChildren(relation, children, deletions);
    const hasTime = session.database.deadline.remaining() > minLeftMs;
    let isAll = isEnd && hasTime;
    if (relation.onDelete === 'cascade' && hasTime) {
      const search = { kind: relation.child, deletions: ofChildren, found };
      const below = await findNextDescendants(session, search, minLeftMs);
      changes.push(...below.changes);
      isAll &&= below.isEnd;
      if (!below.isEnd && changes.length > 0) return { changes, isEnd: false };
    }
    changes.push(...removeChildren(relation, children, ofChildren, parentIds));
    // A search without changes ends the job, so it is returned only when nothing is left.
    if (changes.length >= pageSize || (!isAll && changes.length > 0)) return { changes, isEnd: false };
  }
  return { changes, isEnd: true };
}
