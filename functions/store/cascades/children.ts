/** The children of entities, page by page, in the order of their creation. The list engine finds them: it does not lag behind writes. */
import { now } from '../../runtime/time-and-chance.ts';
import { findEntry } from '../entities/list-history.ts';
import { allIds, rangeOfId, unionRanges } from '../lists/engine/read/id-ranges.ts';
import type { RowFilter } from '../lists/engine/read/row-filter.ts';
import type { RowQuery } from '../lists/engine/read/row-query.ts';
import { type EntityPage, readPage } from '../lists/read-page.ts';
import type { StoredEntity } from '../model/entity.ts';
import { StoreUnavailable } from '../model/errors.ts';
import { idAfter, newId } from '../model/ids.ts';
import type { Relation } from '../model/schema.ts';
import type { Session } from '../unit-of-work/session.ts';

const pageSize = 100;

interface ChildrenRange {
  /** Begins after the child with this id; an empty text begins with the first child. */
  readonly after?: string;
  readonly limit?: number;
  /** When there are more children than these, none of them is read. */
  readonly maxTotal?: number;
  /** Ends before this id, which is greater than the ids of all children that existed when the job began. */
  readonly snapshotId?: string;
}

interface ChildrenPage {
  readonly children: readonly StoredEntity[];
  /** The id after which the next page begins, if there is one. */
  readonly next: string | undefined;
  /** Number of children from the beginning of the page to the end of the range. */
  readonly total: number;
}

export function refersToAny({ field }: Relation, { entity }: StoredEntity, ids: readonly string[]): boolean {
  const value = entity[field];
  const references = (Array.isArray(value) ? value : [value]) as (string | null)[];
  return references.some((id) => id !== null && ids.includes(id));
}

const filterOf = ({ field, isArray }: Relation, ids: readonly string[]): RowFilter => ({
  field,
  condition: isArray ? { by: 'anyId', ids } : { by: 'texts', texts: ids },
});

/**
 * Lists the children of some parents.
 * @throws StoreUnavailable when they change so often that they cannot be read.
 */
async function listChildren(
  session: Session,
  relation: Relation,
  parentIds: readonly string[],
  page: Pick<RowQuery, 'ids' | 'isDescending' | 'limit'>,
  maxTotal = Number.POSITIVE_INFINITY,
): Promise<EntityPage> {
  const filters = [filterOf(relation, parentIds)];
  const query = { filters, orders: [], countBy: [], skip: 0, ...page };
  const found = await readPage(session, relation.child, query, { maxTotal });
  // Such a page says nothing about the children after it.
  if (found.stored.length === 0 && found.total > 0 && found.total <= maxTotal)
    throw new StoreUnavailable('Every child of the page was deleted during the read.');
  return found;
}

/**
 * Reads one page of the children of some parents.
 * @throws StoreUnavailable when they change so often that they cannot be read.
 */
export async function readChildren(
  session: Session,
  relation: Relation,
  parentIds: readonly string[],
  { after = '', snapshotId, limit = pageSize, maxTotal }: ChildrenRange = {},
): Promise<ChildrenPage> {
  const range = { from: rangeOfId(after).to, to: snapshotId ?? allIds.to };
  const page = { ids: unionRanges([range]), isDescending: false, limit };
  const { stored, total } = await listChildren(session, relation, parentIds, page, maxTotal);
  return {
    // A child that changes during each attempt to read the page can have another parent by now.
    children: stored.filter((child) => refersToAny(relation, child, parentIds)),
    next: total > stored.length ? stored.at(-1)?.entity.id : undefined,
    total,
  };
}

/** Returns whether an entity existed at a position of its log, and was not deleted then. What is older than its records did. */
async function existedAt(session: Session, stored: StoredEntity, position: number): Promise<boolean> {
  const { kind, entity, logPosition = 0 } = stored;
  for (let later = logPosition; later > position; ) {
    const found = await findEntry(session, { kind, id: entity.id }, later);
    if (!found) return true;
    if (!found.entry.before) return false;
    later = found.entry.previousPosition;
  }
  return true;
}

/**
 * Returns the children that existed when a job began. The order of ids does not tell: one that was made offline, or was restored, is earlier than its
 * arrival. Only what has changed since costs a read for each change.
 * @param head of their log, when the job began.
 */
export async function childrenAsOf(
  session: Session,
  children: readonly StoredEntity[],
  head: number,
): Promise<StoredEntity[]> {
  const existed = await Promise.all(children.map((child) => existedAt(session, child, head)));
  return children.filter((_, place) => existed[place]);
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
  const newest = { isDescending: true, limit: 1 };
  const { stored } =
    next === undefined
      ? { stored: children.slice(-1) }
      : await listChildren(session, relation, [parentId], newest);
  const last = stored[0]?.entity.id;
  const nowMs = now();
  return last === undefined ? newId(nowMs).id : idAfter(last, nowMs);
}
