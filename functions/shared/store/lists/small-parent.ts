/**
 * Lists of the children of a parent that has few: its index holds fewer bytes than the columns of all entities. The index may lag, so its
 * items are merged with the tail of the change log, which has every change of the last moments.
 */
import { type Row, toRow } from '../model/row.ts';
import type { Session } from '../unit-of-work/session.ts';
import { type ListSource, readRows } from './engine/list-rows.ts';
import { type LogState, readState } from './engine/read-state.ts';
import { matchesRow } from './engine/row-filter.ts';
import { allIds, isInRange, type RowQuery } from './engine/row-query.ts';
import { compareSortKeys, toSortKey } from './engine/sort-key.ts';
import type { FoundPage } from './engine-page.ts';
import { type IndexListing, readListing } from './index-listing.ts';

/** Children up to which the index is cheaper than columns: about 6 read units. */
const maxChildren = 60;

/** The index of a parent's children. */
export interface ParentListing extends IndexListing {
  /** The field that names the parent. */
  readonly field: string;
}

/** Returns whether the index of a parent is cheaper than the columns of a query. */
export async function isSmallParent(
  source: ListSource,
  state: LogState,
  { filters }: RowQuery,
  { field }: ParentListing,
): Promise<boolean> {
  const ofParent = filters.filter((filter) => filter.field === field);
  const query = { filters: ofParent, isDescending: false, skip: 0, limit: 0 };
  return (await readRows(source, state, query)).total <= maxChildren;
}

/** A child, as an index or the log has it. */
interface Child {
  readonly id: string;
  readonly version: number;
  readonly row: Row;
}

/** Returns the children that match, in the order of the list. */
function select(children: Iterable<Child>, { filters, ids, order, isDescending }: RowQuery): Child[] {
  const keyed = [...children]
    .filter(({ id, row }) => isInRange(ids, id) && matchesRow(filters, row))
    .map((child) => ({ child, key: order ? toSortKey(order, child.row[order.field]) : null }))
    .sort((one, other) => compareSortKeys(one.key, other.key) || (one.child.id < other.child.id ? -1 : 1));
  if (isDescending) keyed.reverse();
  return keyed.map(({ child }) => child);
}

/**
 * Returns the rows of a page, with the entities that the index has.
 * @throws StaleRead when the log has changed in a way that makes the result inconsistent.
 */
export async function readSmallParent(
  { database }: Session,
  source: ListSource,
  query: RowQuery,
  parent: IndexListing,
): Promise<FoundPage> {
  // The index first: the log then has every change that the index has.
  const found = await readListing(database, parent, allIds);
  const { tail } = await readState(source.reader, source.cache, source.nowMs);
  const children = new Map(
    found.map(({ entity, version }): [string, Child] => [
      entity.id,
      { id: entity.id, version, row: toRow(entity) },
    ]),
  );
  for (const { id, to, after } of tail.values()) {
    if (after) children.set(id, { id, version: to, row: after });
    else children.delete(id);
  }
  const matching = select(children.values(), query);
  return { rows: matching.slice(query.skip, query.skip + query.limit), total: matching.length, found };
}
