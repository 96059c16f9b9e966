/**
 * Lists: which index holds the least that must be read, and the page that is asked for.
 *
 * What an index narrows down entirely, in the order of creation, is the counted index's: it knows totals and
 * pages without reading them. All of a kind by name is the name index's. The rest is looked through.
 */

import { decode, isId, isStatus, kindPartition, namePrefix, parentPartition } from '../model/entities.ts';
import type { ListQuery, Page } from '../model/list-query.ts';
import { type Kind, referencesOf } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';
import { type Found, type Listing, readWindow } from './counted-index/page.ts';
import { readNameWindow } from './list-by-name.ts';
import { type LookedThrough, lookThrough } from './look-through.ts';

/** The listing that holds what the filters let through, and what of them it does not decide. */
interface Narrowest {
  readonly listing: Listing;
  readonly key?: LookedThrough['key'];
  readonly undecided: ListQuery['filters'];
}

/**
 * Nothing when nothing can match: an id that cannot be one, or a status that cannot be one. Neither may reach a
 * key condition, where DynamoDB refuses what is empty or too long.
 */
function narrowest(tenant: string, kind: Kind, { filters }: ListQuery): Narrowest | undefined {
  const values = new Map(filters);
  const without = (...members: string[]) =>
    filters.filter((one) => !members.some((member) => values.get(member) === one[1] && one[0] === member));
  const all: Listing = { family: 'all', partition: kindPartition(tenant, kind) };

  const id = values.get('id');
  if (id !== undefined)
    return isId(id) ? { listing: all, key: { is: id }, undecided: without('id') } : undefined;

  const name = values.get('name');
  if (name !== undefined) return { listing: all, key: { startsWith: namePrefix(name) }, undecided: filters };

  const status = values.get('status');
  if (status !== undefined && !isStatus(status)) return undefined;
  const relation = referencesOf(kind).find(({ member, listing }) => listing && values.has(member));
  if (!relation?.listing) return { listing: { ...all, status }, undecided: without('status') };
  const parentId = values.get(relation.member) ?? '';
  if (!isId(parentId)) return undefined;
  return {
    listing: { family: relation.listing, partition: parentPartition(tenant, relation, parentId), status },
    undecided: without('status', relation.member),
  };
}

const inOrderOfCreation = new Set(['createdAt', 'id']);

/** What an index has in the order that is asked for, if one does. */
async function readInOrder(
  { database }: Session,
  listing: Listing,
  { page, limit, sortBy, sortOrder, members }: ListQuery,
): Promise<Found | undefined> {
  const window = { order: sortOrder, skip: (page - 1) * limit, limit, members };
  if (inOrderOfCreation.has(sortBy)) return readWindow(database, listing, window);
  const isByName = sortBy === 'name' && listing.family === 'all' && listing.status === undefined;
  return isByName ? readNameWindow(database, listing, window) : undefined;
}

/** Reads one page of the entities that match, in a total order, and how many there are. */
export async function listEntities(session: Session, kind: Kind, query: ListQuery): Promise<Page> {
  const narrow = narrowest(session.tenant, kind, query);
  if (!narrow) return { entities: [], total: 0 };
  const { listing, key, undecided } = narrow;
  const found = key || undecided.length > 0 ? undefined : await readInOrder(session, listing, query);
  if (!found) return lookThrough(session, kind, { ...listing, key, filters: undecided }, query);
  return { entities: found.items.map((item) => decode(item).entity), total: found.total };
}
