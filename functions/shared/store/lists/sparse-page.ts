/**
 * Sparse pages: pages in the order of creation whose segments have few rows that match. The index of the listing has these rows next to each
 * other, at a lower price than the columns of the segments. The engine tells how many there are, so an index that lags is noticed.
 */
import type { StoredEntity } from '../model/entity.ts';
import type { Session } from '../unit-of-work/session.ts';
import type { ListedRow, RowPage } from './engine/list-rows.ts';
import type { PagePlace } from './engine/page-place.ts';
import type { LogState } from './engine/read-state.ts';
import { matchesRow } from './engine/row-filter.ts';
import type { RowQuery } from './engine/row-query.ts';
import { type IndexListing, readListing } from './index-listing.ts';

/** How many times as many rows as a page has are read at most: with 20 rows on a page, 28 of up to 1 KB cost 3.5 read units. */
const maxRowsPerPage = 1.4;

/** Returns whether the index is cheaper than columns. */
export const isSparse = ({ count }: PagePlace, { limit, filters }: RowQuery): boolean =>
  filters.length > 0 && count > 0 && count <= maxRowsPerPage * limit;

/** A page with the entities that an index has. */
export interface SparsePage extends RowPage {
  readonly found: readonly StoredEntity[];
}

/**
 * Returns the rows of a sparse page; `undefined` when the index does not have the rows of this state: it lags, or entities have changed
 * since the state was read.
 */
export async function readSparsePage(
  { database }: Session,
  listing: IndexListing,
  { manifest, tail }: LogState,
  { place, query }: { readonly place: PagePlace; readonly query: RowQuery },
): Promise<SparsePage | undefined> {
  const { ids, count, window, total } = place;
  const isInRange = (id: string): boolean => id >= ids.from && id < ids.to;
  const found = (await readListing(database, listing, { first: ids.from, last: ids.to })).filter(
    ({ entity }) => isInRange(entity.id),
  );
  const rows = new Map<string, ListedRow>();
  for (const { entity, version, stamp = 0 } of found) {
    if (tail.has(entity.id)) continue;
    // It has changed since the state was read.
    if (stamp > manifest.watermark) return undefined;
    rows.set(entity.id, { id: entity.id, version });
  }
  for (const { id, to, after } of tail.values()) {
    if (after && isInRange(id) && matchesRow(query.filters, after)) rows.set(id, { id, version: to });
  }
  if (rows.size !== count) return undefined;
  const sorted = [...rows.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  const page = sorted.slice(window.from, window.to);
  return { rows: query.isDescending ? page.reverse() : page, total, found };
}
