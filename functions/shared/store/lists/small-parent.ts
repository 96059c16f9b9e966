/**
 * Lists of the children of a parent that has few: its index holds fewer bytes than the columns of all entities. The index may lag, so its
 * items are merged with the tail of the change log, which has every change of the last moments.
 */
import { timestampMs } from '../model/ids.ts';
import { type Row, toRow } from '../model/row.ts';
import type { Session } from '../unit-of-work/session.ts';
import { allIds, isInRanges } from './engine/id-ranges.ts';
import { type ListSource, readRows } from './engine/list-rows.ts';
import { type LogState, readState } from './engine/read-state.ts';
import { isText, type RowFilter, rowPredicate } from './engine/row-filter.ts';
import type { RowQuery } from './engine/row-query.ts';
import { rowComparator, type SortKey, toSortKey } from './engine/sort-key.ts';
import { countRows } from './engine/value-counts.ts';
import type { FoundPage } from './engine-page.ts';
import { type IndexListing, readListing } from './index-listing.ts';

/** Children up to which the index is cheaper than columns: about 6 read units. */
const maxChildren = 60;

/** Children that are read, at most. An index that lags can have more than the parent. */
const maxRead = 2 * maxChildren;

/** The index of a parent's children. */
export interface ParentListing extends IndexListing {
  /** The field that names the parent. */
  readonly field: string;
  readonly parentId: string;
}

/** Returns the filter that accepts the children of a parent. */
const isChild = ({ field, parentId }: ParentListing): RowFilter => isText(field, parentId);

/** Returns the number of a parent's children. Facets have it. */
async function countChildren(source: ListSource, state: LogState, parent: ParentListing): Promise<number> {
  const filters = [isChild(parent)];
  const query: RowQuery = { filters, orders: [], isDescending: false, skip: 0, limit: 0, countBy: [] };
  return (await readRows(source, state, query)).total;
}

/** Returns whether the index of a parent is cheaper than columns. */
export const isSmallParent = async (
  source: ListSource,
  state: LogState,
  parent: ParentListing,
): Promise<boolean> => (await countChildren(source, state, parent)) <= maxChildren;

/** A child, as an index or the log has it. */
interface Child {
  readonly id: string;
  readonly version: number;
  readonly row: Row;
}

/** Returns the orders of a list, and the sort keys of a child. Ties of a list by creation follow the time in the id. */
function keyedOrder({ orders, isDescending, ties }: RowQuery) {
  const keysBy = (some: RowQuery['orders'], { row }: Child): SortKey[] =>
    some.map((order) => toSortKey(order, row[order.field]));
  if (!ties) return { orders, isDescending, keysOf: (child: Child) => keysBy(orders, child) };
  return {
    orders: [...orders, { field: 'createdAt', isDescending }, ...ties.orders],
    isDescending: ties.isDescending,
    keysOf: (child: Child) => [
      ...keysBy(orders, child),
      timestampMs(child.id),
      ...keysBy(ties.orders, child),
    ],
  };
}

/** Returns the children that match, in the order of the list. */
function select(children: Iterable<Child>, query: RowQuery): Child[] {
  const { filters, ids } = query;
  const { orders, isDescending, keysOf } = keyedOrder(query);
  const matches = rowPredicate(filters);
  return [...children]
    .filter(({ id, row }) => isInRanges(ids, id) && matches(row))
    .map((child) => ({
      id: child.id,
      keys: keysOf(child),
      child,
    }))
    .sort(rowComparator(orders, isDescending))
    .map(({ child }) => child);
}

/**
 * Returns the rows of a page, with the entities that the index has; `undefined` when the index does not have as many as the parent. It does
 * not notice changed children that the index still has as they were more than the margin before.
 * @throws StaleRead when the log has changed in a way that makes the result inconsistent.
 */
export async function readSmallParent(
  { database }: Session,
  source: ListSource,
  query: RowQuery,
  parent: ParentListing,
): Promise<FoundPage | undefined> {
  // The index first: the log then has every change that the index has.
  const found = await readListing(database, parent, { ...allIds, max: maxRead });
  if (found.length === maxRead) return undefined;
  const state = await readState(source.reader, source.cache, source.nowMs);
  const children = new Map(
    found.map(({ entity, version }): [string, Child] => [
      entity.id,
      { id: entity.id, version, row: toRow(entity) },
    ]),
  );
  for (const { id, to, after } of state.tail.values()) {
    if (after) children.set(id, { id, version: to, row: after });
    else children.delete(id);
  }
  const belongs = rowPredicate([isChild(parent)]);
  const count = [...children.values()].filter(({ row }) => belongs(row)).length;
  // The facets are in memory: `isSmallParent` has read them.
  if (count !== (await countChildren(source, state, parent))) return undefined;
  const matching = select(children.values(), query);
  return {
    rows: matching.slice(query.skip, query.skip + query.limit),
    total: matching.length,
    counts: countRows(
      query.countBy,
      matching.map(({ row }) => row),
    ),
    found,
  };
}
