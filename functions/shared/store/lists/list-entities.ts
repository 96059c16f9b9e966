/**
 * Lists. The counted index serves lists in the order of creation that an index decides completely: it knows totals and positions
 * without reading the entities. The index by name serves all entities of a kind by name. A filtered scan serves the rest.
 */
import { decodeEntity } from '../model/item-codec.ts';
import type { ListQuery, Page } from '../model/list-query.ts';
import type { Kind } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';
import { type Found, type Listing, readWindow } from './counted-index/page.ts';
import { readNameWindow } from './list-by-name.ts';
import { lookThrough } from './look-through.ts';
import { planQuery } from './query-plan.ts';

/** Fields whose order is the order of creation. */
const creationFields = new Set(['createdAt', 'id']);

/** Returns the window of a list that an index has in the requested order; `undefined` when no index has. */
async function readInOrder(
  { database }: Session,
  listing: Listing,
  { page, limit, sortBy, sortOrder, fields }: ListQuery,
): Promise<Found | undefined> {
  const window = { order: sortOrder, skip: (page - 1) * limit, limit, members: fields };
  if (creationFields.has(sortBy)) return readWindow(database, listing, window);
  const isByName = sortBy === 'name' && listing.family === 'all' && listing.status === undefined;
  return isByName ? readNameWindow(database, listing, window) : undefined;
}

/** Returns one page of the entities that match, in a total order, and the exact total. */
export async function listEntities(session: Session, kind: Kind, query: ListQuery): Promise<Page> {
  const plan = planQuery(session.tenant, kind, query.filters);
  if (!plan) return { entities: [], total: 0 };
  const { listing, key, residualFilters } = plan;
  const isDecided = !key && residualFilters.length === 0;
  const found = isDecided ? await readInOrder(session, listing, query) : undefined;
  if (!found) return lookThrough(session, kind, { ...listing, key, filters: residualFilters }, query);
  return { entities: found.items.map((item) => decodeEntity(item).entity), total: found.total };
}
