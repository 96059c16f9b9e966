/**
 * Pages that an index serves without columns. The engine tells how many rows of a listing each segment has, and so where a page is: at most so
 * many rows after the beginning of a segment, or before its end. If these are few, reading them from the index costs less than the columns.
 */
import type { StoredEntity } from '../model/entity.ts';
import type { Session } from '../unit-of-work/session.ts';
import type { ListedRow, RowPage } from './engine/list-rows.ts';
import type { PagePart, PagePlace } from './engine/page-place.ts';
import type { LogState } from './engine/read-state.ts';
import { matchesRow, type RowFilter } from './engine/row-filter.ts';
import type { RowQuery } from './engine/row-query.ts';
import { type IndexListing, readListing } from './index-listing.ts';

/** How many times as many rows as a page has are read at most: 50 rows for a page of 20 cost about 5 read units. */
const maxRowsPerPage = 2.5;

/** Returns whether a part is read from its end. */
const isFromEnd = ({ count, from, to }: PagePart): boolean => count - from < to;

/** Returns the rows that are read for a part: up to the page, from the nearer side. */
const neededRows = ({ count, from, to }: PagePart): number => Math.min(to, count - from);

/** Returns whether the index of a listing is cheaper than columns: the columns of statuses are small, those of parents are not. */
export const isNearBoundary = (
  { family }: IndexListing,
  { parts }: PagePlace,
  { limit }: RowQuery,
): boolean =>
  family !== 'all' && parts.reduce((sum, part) => sum + neededRows(part), 0) <= maxRowsPerPage * limit;

/** A page with the entities that an index has. */
export interface IndexPage extends RowPage {
  readonly found: readonly StoredEntity[];
}

/** What a page is read from. */
export interface IndexPageSource {
  readonly listing: IndexListing;
  readonly filters: readonly RowFilter[];
  readonly state: LogState;
}

/** Returns the rows of one part of a page; `undefined` when the index does not have those of this state. */
async function readPart(
  { database }: Session,
  { listing, filters, state: { manifest, tail } }: IndexPageSource,
  part: PagePart,
): Promise<{ readonly rows: readonly ListedRow[]; readonly found: readonly StoredEntity[] } | undefined> {
  const { ids, count, from, to } = part;
  const isInPart = (id: string): boolean => id >= ids.from && id < ids.to;
  const changes = [...tail.values()].filter(({ id }) => isInPart(id));
  // The index may still have every changed row.
  const max = neededRows(part) + changes.length;
  const isBackwards = isFromEnd(part);
  const found = await readListing(database, listing, { ...ids, isBackwards, max });
  const isWhole = found.length < max;
  const reached = found.at(-1)?.entity.id ?? '';
  const isRead = (id: string): boolean => isWhole || (isBackwards ? id >= reached : id <= reached);
  const rows = new Map<string, ListedRow>();
  for (const { entity, version, stamp = 0 } of found) {
    if (tail.has(entity.id)) continue;
    // It has changed since the state was read.
    if (stamp > manifest.watermark) return undefined;
    rows.set(entity.id, { id: entity.id, version });
  }
  for (const { id, to: version, after } of changes) {
    if (after && isRead(id) && matchesRow(filters, after)) rows.set(id, { id, version });
  }
  // The index lags, or entities have changed since the state was read.
  if (isWhole ? rows.size !== count : rows.size < neededRows(part)) return undefined;
  const sorted = [...rows.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  const skipped = isBackwards ? count - rows.size : 0;
  return { rows: sorted.slice(from - skipped, to - skipped), found };
}

/**
 * Returns the rows of a page from an index; `undefined` when the index does not have the rows of this state: it lags, or entities have
 * changed since the state was read. Of a part that is not read to its end, a lag of the index beyond the margin would not be noticed.
 */
export async function readIndexPage(
  session: Session,
  source: IndexPageSource,
  { parts, total }: PagePlace,
  { isDescending }: RowQuery,
): Promise<IndexPage | undefined> {
  const rows: ListedRow[] = [];
  const found: StoredEntity[] = [];
  for (const part of await Promise.all(parts.map((one) => readPart(session, source, one)))) {
    if (!part) return undefined;
    rows.push(...part.rows);
    found.push(...part.found);
  }
  return { rows: isDescending ? rows.reverse() : rows, total, found };
}
