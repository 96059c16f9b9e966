/** The children of entities, page by page, in the order of their creation. The list engine finds them: it does not lag behind writes. */
import type { RowFilter } from '../columns/read/row-filter.ts';
import type { StoredEntity } from '../model/entity.ts';
import { StoreUnavailable } from '../model/errors.ts';
import type { Relation } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { queryAfter, readPage } from './read-page.ts';

const pageSize = 100;

export interface ChildrenRange {
  /** Begins after the child with this id; an empty text begins with the first child. */
  readonly after?: string;
  readonly limit?: number;
  /** When there are more children than these, none of them is read. */
  readonly maxTotal?: number;
}

export interface ChildrenPage {
  readonly children: readonly StoredEntity[];
  /** The id after which the next page begins, if there is one. */
  readonly next: string | undefined;
  /** Number of children from the beginning of the page to the end of the range. */
  readonly total: number;
}

export function refersToAny(
  { field }: Relation,
  { entity }: Pick<StoredEntity, 'entity'>,
  ids: readonly string[],
): boolean {
  const value = entity[field];
  const references = (Array.isArray(value) ? value : [value]) as (string | null)[];
  return references.some((id) => id !== null && ids.includes(id));
}

const filterOf = ({ field, isArray }: Relation, ids: readonly string[]): RowFilter => ({
  field,
  condition: isArray ? { by: 'anyId', ids } : { by: 'texts', texts: ids },
});

/** Returns the ids of the children of some parents, without a read of the children. The default limit is none. */
export async function readChildIds(
  session: Session,
  relation: Relation,
  parentIds: readonly string[],
  { after = '', limit = Number.POSITIVE_INFINITY }: Pick<ChildrenRange, 'after' | 'limit'> = {},
): Promise<readonly string[]> {
  if (parentIds.length === 0) return [];
  const query = queryAfter([filterOf(relation, parentIds)], limit, after);
  return (await readPage(session, relation.child, query, { maxTotal: 0 })).ids;
}

/** Returns the number of the children that refer to all of some parents by an array. */
export async function countChildren(session: Session, { child, field }: Relation, ids: readonly string[]) {
  const filters = ids.map((id): RowFilter => ({ field, condition: { by: 'anyId', ids: [id] } }));
  const query = queryAfter(filters, 0);
  return (await readPage(session, child, query)).total;
}

/**
 * Reads one page of the children of some parents.
 * @throws StoreUnavailable when they change so often that they cannot be read.
 */
export async function readChildren(
  session: Session,
  relation: Relation,
  parentIds: readonly string[],
  { after = '', limit = pageSize, maxTotal = Number.POSITIVE_INFINITY }: ChildrenRange = {},
): Promise<ChildrenPage> {
  const query = queryAfter([filterOf(relation, parentIds)], limit, after);
  const { stored, total } = await readPage(session, relation.child, query, { maxTotal });
  // A child that changes during each attempt to read the page can have another parent by now.
  const children = stored.filter((child) => refersToAny(relation, child, parentIds));
  const hasMore = total > stored.length;
  // Such a page says nothing about the children after it.
  if (children.length === 0 && total > 0 && total <= maxTotal)
    throw new StoreUnavailable('Every child of the page was deleted or moved during the read.');
  return { children, next: hasMore ? stored.at(-1)?.entity.id : undefined, total };
}
