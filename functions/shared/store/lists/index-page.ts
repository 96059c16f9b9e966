/**
 * Pages that an index serves without columns. The engine knows the row count of each segment. From it follows the distance of the page to the
 * ends of its segments. If it is short, reading the rows from the index costs less than the columns.
 */
import type { StoredEntity } from '../model/entity.ts';
import type { Session } from '../unit-of-work/session.ts';
import type { ListedRow } from './engine/list-rows.ts';
import type { PagePart, PagePlace } from './engine/locate-page.ts';
import type { LogState } from './engine/read-state.ts';
import type { RowChange } from './engine/row-change.ts';
import { type RowFilter, rowPredicate } from './engine/row-filter.ts';
import type { RowQuery } from './engine/row-query.ts';
import type { FoundPage } from './engine-page.ts';
import { type IndexListing, readListing } from './index-listing.ts';

/** Rows that are read for a page, as a multiple of its limit: 50 rows for a page of 20 cost about 5 read units. */
const maxReadFactor = 2.5;

/** What a page is read from. */
export interface IndexPageSource {
  readonly listing: IndexListing;
  readonly filters: readonly RowFilter[];
  readonly state: LogState;
}

/** How a part of a page is read. */
interface PartRead {
  readonly part: PagePart;
  /** The changes of the tail whose rows belong to the part. The index may have them or not. */
  readonly changes: readonly RowChange[];
  /** Whether the page is nearer to the end of the part. */
  readonly isBackwards: boolean;
  /** Number of rows up to the page, from the nearer side. */
  readonly needed: number;
  /** Number of entities to read: the index may still have every changed row. */
  readonly max: number;
}

function planRead(part: PagePart, tail: LogState['tail']): PartRead {
  const { ids, count, from, to } = part;
  const changes = [...tail.values()].filter(({ id }) => id >= ids.from && id < ids.to);
  const needed = Math.min(to, count - from);
  return { part, changes, isBackwards: count - from < to, needed, max: needed + changes.length };
}

/** Returns the rows of one part of a page; `undefined` when the index does not have those of this state. */
async function readPart(
  { database }: Session,
  { listing, filters, state: { manifest, tail } }: IndexPageSource,
  { part: { ids, count, from, to }, changes, isBackwards, needed, max }: PartRead,
): Promise<{ readonly rows: readonly ListedRow[]; readonly found: readonly StoredEntity[] } | undefined> {
  const found = await readListing(database, listing, { ...ids, isBackwards, max });
  const isExhausted = found.length < max;
  const reached = found.at(-1)?.entity.id ?? '';
  const isRead = (id: string): boolean => isExhausted || (isBackwards ? id >= reached : id <= reached);
  const rows = new Map<string, ListedRow>();
  for (const { entity, version, stamp } of found) {
    if (tail.has(entity.id)) continue;
    // It has changed since the state was read.
    if (stamp === undefined || stamp > manifest.watermark) return undefined;
    rows.set(entity.id, { id: entity.id, version });
  }
  const matches = rowPredicate(filters);
  for (const { id, to: version, after } of changes) {
    if (after && isRead(id) && matches(after)) rows.set(id, { id, version });
  }
  if (isExhausted ? rows.size !== count : rows.size < needed) return undefined;
  const sorted = [...rows.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  const skipped = isBackwards ? count - rows.size : 0;
  return { rows: sorted.slice(from - skipped, to - skipped), found };
}

/**
 * Returns the rows of a page from an index; `undefined` when columns are cheaper, or when the index does not have the rows of this state:
 * it lags, or entities have changed since the state was read. If it does not read a part to its end, it notices neither a lag beyond the
 * margin nor an entity that has left the list since.
 */
export async function readIndexPage(
  session: Session,
  source: IndexPageSource,
  { parts, total }: PagePlace,
  { isDescending, limit }: RowQuery,
): Promise<FoundPage | undefined> {
  const reads = parts.map((part) => planRead(part, source.state.tail));
  if (reads.reduce((sum, { max }) => sum + max, 0) > maxReadFactor * limit) return undefined;
  const rows: ListedRow[] = [];
  const found: StoredEntity[] = [];
  for (const part of await Promise.all(reads.map((read) => readPart(session, source, read)))) {
    if (!part) return undefined;
    rows.push(...part.rows);
    found.push(...part.found);
  }
  return { rows: isDescending ? rows.reverse() : rows, total, counts: {}, found };
}
