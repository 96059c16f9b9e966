/**
 * Lists of the children of a parent that has few: its index holds fewer bytes than the columns of all entities. The index may lag, so its
 * items are merged with the tail of the change log, which has every change of the last moments.
 */
import type { StoredEntity } from '../model/entity.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { entityKey } from '../model/keys.ts';
import type { Kind } from '../model/relations.ts';
import { type Row, toRow } from '../model/row.ts';
import type { Session } from '../unit-of-work/session.ts';
import { type ListSource, readRows } from './engine/list-rows.ts';
import { allIds } from './engine/page-place.ts';
import { type LogState, readState } from './engine/read-state.ts';
import { matchesRow } from './engine/row-filter.ts';
import type { RowQuery } from './engine/row-query.ts';
import { readUntilCurrent } from './engine/snapshot.ts';
import { compareSortKeys, toSortKey } from './engine/sort-key.ts';
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

/** A child with its row; without the entity when the row comes from the log. */
interface Child {
  readonly id: string;
  readonly row: Row;
  readonly stored: StoredEntity | undefined;
}

/** Returns the children that match, in the order of the list. */
function select(children: Iterable<Child>, { filters, ids, order, isDescending }: RowQuery): Child[] {
  const keyed = [...children]
    .filter(({ id, row }) => (!ids || (id >= ids.from && id < ids.to)) && matchesRow(filters, row))
    .map((child) => ({ child, key: order ? toSortKey(order, child.row[order.field]) : null }))
    .sort((one, other) => compareSortKeys(one.key, other.key) || (one.child.id < other.child.id ? -1 : 1));
  if (isDescending) keyed.reverse();
  return keyed.map(({ child }) => child);
}

/** A parent with few children, and where the changes of these are. */
export interface SmallParent {
  readonly kind: Kind;
  readonly parent: ParentListing;
  readonly source: ListSource;
}

/**
 * Returns one page of the children that match, and the exact total.
 * @throws StaleRead when the log changes so often that it cannot be read.
 */
export async function listSmallParent(
  session: Session,
  { kind, parent, source }: SmallParent,
  query: RowQuery,
): Promise<{ readonly stored: readonly StoredEntity[]; readonly total: number }> {
  // The index first: the log then has every change that the index has.
  const children = new Map<string, Child>();
  for (const stored of await readListing(session.database, parent, allIds)) {
    children.set(stored.entity.id, { id: stored.entity.id, row: toRow(stored.entity), stored });
  }
  const { tail } = await readUntilCurrent(() => readState(source.reader, source.cache, source.nowMs));
  for (const { id, after } of tail.values()) {
    if (after) children.set(id, { id, row: after, stored: undefined });
    else children.delete(id);
  }
  const matching = select(children.values(), query);
  const page = matching.slice(query.skip, query.skip + query.limit);
  const recent = page.filter(({ stored }) => !stored);
  const keys = recent.map(({ id }) => entityKey(session.tenant, kind, id));
  const read = new Map(
    (await session.database.getMany(keys)).map(decodeEntity).map((one) => [one.entity.id, one]),
  );
  const stored = page.flatMap((child) => child.stored ?? read.get(child.id) ?? []);
  return { stored, total: matching.length - (page.length - stored.length) };
}
