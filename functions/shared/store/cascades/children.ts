/** The children of entities, page by page, in the order of their creation. The list engine finds them: it does not lag behind writes. */
import { allIds, type IdRange, rangeOfId, unionRanges } from '../lists/engine/id-ranges.ts';
import type { RowFilter } from '../lists/engine/row-filter.ts';
import type { RowQuery } from '../lists/engine/row-query.ts';
import { type EntityPage, listByEngine } from '../lists/engine-page.ts';
import type { StoredEntity } from '../model/entity.ts';
import { StoreUnavailable } from '../model/errors.ts';
import { idAfter, newId } from '../model/ids.ts';
import type { Relation } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';

/** Children on a page. */
const pageSize = 100;

/** Where a page of children begins, and how long it is. */
export interface PageOfChildren {
  /** Begins after the child with this id; an empty text begins with the first child. */
  readonly after?: string;
  readonly limit?: number;
}

/** A page of the children that existed at one moment. */
export interface PageOfSnapshot extends PageOfChildren {
  /** Ends before this id, which is greater than the ids of all children that existed when the job began. */
  readonly snapshotId?: string;
}

export interface ChildrenPage {
  readonly children: readonly StoredEntity[];
  /** The id after which the next page begins, if there is one. */
  readonly next: string | undefined;
}

/** A page of children with the number of all that follow the beginning of the page. */
export interface CountedPage extends ChildrenPage {
  readonly total: number;
}

/** Returns the filter of the rows that refer to one of some entities. */
const refersToAny = ({ field, index }: Relation, ids: readonly string[]): RowFilter => ({
  field,
  condition: index === undefined ? { by: 'anyId', ids } : { by: 'texts', texts: ids },
});

/** Lists the children of some parents whose ids are in a range. */
const listChildren = (
  session: Session,
  relation: Relation,
  parentIds: readonly string[],
  { range = allIds, ...page }: Pick<RowQuery, 'isDescending' | 'limit'> & { readonly range?: IdRange },
): Promise<EntityPage> =>
  listByEngine(session, relation.child, {
    filters: [refersToAny(relation, parentIds)],
    ids: unionRanges([range]),
    orders: [],
    countBy: [],
    skip: 0,
    ...page,
  });

/**
 * Reads one page of the children of some parents.
 * @throws StoreUnavailable when they change so often that they cannot be read.
 */
export async function readChildren(
  session: Session,
  relation: Relation,
  parentIds: readonly string[],
  { after = '', snapshotId = allIds.to, limit = pageSize }: PageOfSnapshot = {},
): Promise<CountedPage> {
  const range = { from: rangeOfId(after).to, to: snapshotId };
  const page = { range, isDescending: false, limit };
  const { stored, total } = await listChildren(session, relation, parentIds, page);
  const last = stored.at(-1)?.entity.id;
  // All of the page were deleted while it was read: the page says nothing about the rest.
  if (last === undefined && total > 0)
    throw new StoreUnavailable('All children of a page were deleted while it was read.');
  return { children: stored, next: total > stored.length ? last : undefined, total };
}

/**
 * Returns an id greater than every existing child's. A job ignores children created after it began. The clock alone does not
 * tell: that of another process may be ahead.
 * @param firstPage the first page of these children.
 */
export async function createSnapshotId(
  session: Session,
  relation: Relation,
  parentId: string,
  { children, next }: ChildrenPage,
): Promise<string> {
  const descending = { isDescending: true, limit: 1 };
  const { stored } =
    next === undefined
      ? { stored: children.slice(-1) }
      : await listChildren(session, relation, [parentId], descending);
  const last = stored[0]?.entity.id;
  return last === undefined ? newId().id : idAfter(last);
}
