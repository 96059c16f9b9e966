/** The entities of the rows on a page, at the lowest price that is right. */
import type { StoredEntity } from '../model/entity.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { entityKey } from '../model/keys.ts';
import type { Kind } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';
import type { ListedRow } from './engine/list-rows.ts';
import { type IndexListing, readListing } from './index-listing.ts';

async function readByKey(
  { tenant, database }: Session,
  kind: Kind,
  rows: readonly ListedRow[],
  isConsistent: boolean,
): Promise<StoredEntity[]> {
  const keys = rows.map(({ id }) => entityKey(tenant, kind, id));
  return (await database.getMany(keys, isConsistent)).map(decodeEntity);
}

/** Reads the part of an index that begins and ends with rows of a page: what lies between them is on the page as well. */
async function readByIndex(
  { database }: Session,
  rows: readonly ListedRow[],
  listing: IndexListing,
): Promise<StoredEntity[]> {
  const ids = rows.map(({ id }) => id).sort();
  const [from = '', last = ''] = [ids[0], ids.at(-1)];
  // An index that lags can have entities that are no longer listed: they must not fill the page at any price.
  return readListing(database, listing, { from, to: `${last}~`, max: rows.length });
}

/** Where entities are read first: nowhere, because they were read already, or in an index. */
export type FirstSource = readonly StoredEntity[] | IndexListing | undefined;

async function readFirst(
  session: Session,
  kind: Kind,
  rows: readonly ListedRow[],
  source: FirstSource,
): Promise<readonly StoredEntity[]> {
  if (!source) return readByKey(session, kind, rows, false);
  return 'family' in source ? readByIndex(session, rows, source) : source;
}

/**
 * Returns the entities of rows, by id. Indexes and replicas of the table may lag behind: where they have a version that is older than the
 * row's, the entity is read again, consistently.
 * @param source entities that were read already, or the index that lists the rows next to each other: a query of it costs half a read unit
 * for 4 KB, a read by key half a unit for each entity.
 */
export async function readRowEntities(
  session: Session,
  kind: Kind,
  rows: readonly ListedRow[],
  source?: FirstSource,
): Promise<Map<string, StoredEntity>> {
  if (rows.length === 0) return new Map();
  const first = await readFirst(session, kind, rows, source);
  const found = new Map(first.map((stored) => [stored.entity.id, stored]));
  const stale = rows.filter(({ id, version }) => !((found.get(id)?.version ?? 0) >= version));
  const again = stale.length > 0 ? await readByKey(session, kind, stale, true) : [];
  for (const stored of again) found.set(stored.entity.id, stored);
  return found;
}
