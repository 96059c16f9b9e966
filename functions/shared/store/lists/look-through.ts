/**
 * Lists that no index narrows down entirely, or orders: the narrowest listing is read in parts, side by side, and of
 * each entity only the id and what decides the order; no more of these are kept than the page is behind.
 */

import type { Database } from '../dynamodb/database.ts';
import type { Query } from '../dynamodb/query.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { entityKey, statusPrefix } from '../model/keys.ts';
import type { ListQuery, Page, SortValue } from '../model/list-query.ts';
import { type Kind, referencesOf } from '../model/relations.ts';
import { table } from '../model/table.ts';
import type { Session } from '../unit-of-work/session.ts';
import { readUntilComplete } from './catch-up.ts';
import { divide, type Listing, type Part, readTotal } from './counted-index/page.ts';
import { FirstRows } from './first-rows.ts';

/** What is looked through, and for what. */
export interface LookedThrough extends Listing {
  /** The id, or what the key by name starts with. */
  readonly key?: { readonly is: string } | { readonly startsWith: string } | undefined;
  readonly filters: ListQuery['filters'];
}

/** The index that holds the least of it, and what of its sort keys is read. */
function indexOf({ family, status, key }: LookedThrough, { from, to }: Part) {
  if (key && 'is' in key) return { index: family, first: key.is, last: key.is };
  if (key) {
    const { startsWith } = key;
    return { index: 'all-by-name' as const, first: startsWith, last: `${startsWith}~` };
  }
  if (status === undefined) return { index: family, first: from, last: to };
  const prefix = statusPrefix(status);
  return { index: `${family}-by-status` as const, first: prefix + from, last: prefix + to };
}

/** Every name and value goes through a placeholder: what a caller sends is never part of an expression. */
function listingQuery(kind: Kind, what: LookedThrough, { sortBy }: ListQuery, part: Part): Query {
  const { index, first, last } = indexOf(what, part);
  const { partitionKey, sortKey } = table.indexes[index];
  const names: Record<string, string> = { '#partition': partitionKey, '#key': sortKey, '#id': 'id' };
  const values: Record<string, unknown> = { ':partition': what.partition, ':first': first, ':last': last };
  // An array of ids has no index of its own: it is looked through.
  const arrays = new Set(referencesOf(kind).flatMap(({ field, index: indexed }) => (indexed ? [] : [field])));
  const matches = what.filters
    // A filter must not name a key of the index; of all members, only the id is one.
    .filter(([member]) => member !== 'id')
    .map(([member, value], position) => {
      names[`#member${position}`] = member;
      values[`:value${position}`] = value;
      return arrays.has(member)
        ? `contains(#member${position}, :value${position})`
        : `#member${position} = :value${position}`;
    });
  if (sortBy !== 'id') names['#sort'] = sortBy;
  return {
    IndexName: index,
    KeyConditionExpression: '#partition = :partition AND #key BETWEEN :first AND :last',
    ProjectionExpression: sortBy === 'id' ? '#id' : '#id, #sort',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ...(matches.length > 0 && { FilterExpression: matches.join(' AND ') }),
  };
}

const storedText = (value: unknown): SortValue => (typeof value === 'string' ? value : undefined);

/** Entities below which a part of a listing is not worth a call of its own: a call reads 1 MB. */
const worthACall = 2_000;

/** Parts that are read side by side. */
const mostParts = 8;

/** What is read of a listing, and how many entities that must be, where it is known. */
async function partsOf(
  database: Database,
  { key, ...listing }: LookedThrough,
): Promise<{ parts: Part[]; total: number }> {
  return key ? { parts: [{ from: '', to: '' }], total: 0 } : divide(database, listing, worthACall, mostParts);
}

async function readRows(
  session: Session,
  kind: Kind,
  what: LookedThrough,
  query: ListQuery,
): Promise<{ rows: FirstRows; isComplete: boolean }> {
  const { parts, total } = await partsOf(session.database, what);
  const rows = new FirstRows(query);
  const { sortValue = storedText } = query;
  let examined = 0;
  const readPart = async (part: Part): Promise<void> => {
    for await (const page of session.database.queryPages(listingQuery(kind, what, query, part))) {
      examined += page.scannedCount;
      rows.add(page.items.map((item) => ({ id: String(item['id']), sort: sortValue(item[query.sortBy]) })));
    }
  };
  await Promise.all(parts.map(readPart));
  // A listing that is written to meanwhile has no one number to hold against what was found.
  const isLagging = examined < total && total === (await readTotal(session.database, what));
  return { rows, isComplete: !isLagging };
}

/** Reads one page of what matches, in a total order, and how many there are. */
export async function lookThrough(
  session: Session,
  kind: Kind,
  what: LookedThrough,
  query: ListQuery,
): Promise<Page> {
  const read = async () => {
    const { rows, isComplete } = await readRows(session, kind, what, query);
    const wanted = rows.pageIds();
    const items = await session.database.getMany(wanted.map((id) => entityKey(session.tenant, kind, id)));
    const found = new Map(items.map(decodeEntity).map(({ entity }) => [entity.id, entity]));
    const entities = wanted.flatMap((id) => found.get(id) ?? []);
    const gone = wanted.length - entities.length;
    return { entities, total: rows.total - gone, isComplete: isComplete && gone === 0 };
  };
  // Some may go away while it is read, and the index may not have all yet.
  return readUntilComplete(read, ({ isComplete }) => isComplete);
}
