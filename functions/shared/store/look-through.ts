/** Lists that no index narrows down entirely, or orders: the narrowest listing is read, sorted and counted. */

import type { Listing } from './counted-index/page.ts';
import type { Query } from './database.ts';
import { decode, entityKey, statusPrefix } from './entities.ts';
import type { ListQuery, Page } from './list-query.ts';
import { type Kind, referencesOf } from './relations.ts';
import type { Session } from './session.ts';
import { table } from './table.ts';

/** What is looked through, and for what. */
export interface LookedThrough extends Listing {
  /** The id, or what the key by name starts with. */
  readonly key?: { readonly is: string } | { readonly startsWith: string } | undefined;
  readonly filters: ListQuery['filters'];
}

/** The index that holds the least of it, and the condition on its sort key. */
function indexOf({ family, status, key }: LookedThrough) {
  if (key && 'is' in key) return { index: family, condition: '#key = :key', value: key.is };
  if (key)
    return { index: 'all-by-name' as const, condition: 'begins_with(#key, :key)', value: key.startsWith };
  if (status === undefined) return { index: family };
  return {
    index: `${family}-by-status` as const,
    condition: 'begins_with(#key, :key)',
    value: statusPrefix(status),
  };
}

/** Every name and value goes through a placeholder: what a caller sends is never part of an expression. */
function listingQuery(kind: Kind, what: LookedThrough, { sortBy }: ListQuery): Query {
  const { index, condition, value } = indexOf(what);
  const { partitionKey, sortKey } = table.indexes[index];
  const names: Record<string, string> = { '#partition': partitionKey, '#id': 'id' };
  const values: Record<string, unknown> = { ':partition': what.partition };
  const conditions = ['#partition = :partition'];
  if (condition) {
    names['#key'] = sortKey;
    values[':key'] = value;
    conditions.push(condition);
  }
  // An array of ids has no index of its own: it is looked through.
  const arrays = new Set(referencesOf(kind).flatMap(({ member, listing }) => (listing ? [] : [member])));
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
    KeyConditionExpression: conditions.join(' AND '),
    ProjectionExpression: sortBy === 'id' ? '#id' : '#id, #sort',
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
    ...(matches.length > 0 && { FilterExpression: matches.join(' AND ') }),
  };
}

/** Compares by Unicode code point. UTF-16, which `<` compares, puts surrogates before U+E000 to U+FFFF. */
export function compareText(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let position = 0; position < length; position += 1) {
    const left = one.charCodeAt(position);
    const right = other.charCodeAt(position);
    if (left !== right) {
      const leftIsSurrogate = left >= 0xd800 && left <= 0xdfff;
      const rightIsSurrogate = right >= 0xd800 && right <= 0xdfff;
      return leftIsSurrogate === rightIsSurrogate ? left - right : leftIsSurrogate ? 1 : -1;
    }
  }
  return one.length - other.length;
}

interface Row {
  readonly id: string;
  readonly sort: unknown;
}

/** Null is lowest; ids, and so times of creation, decide between equals. */
function compareRows(one: Row, other: Row): number {
  const bySort =
    typeof one.sort === 'string' && typeof other.sort === 'string'
      ? compareText(one.sort, other.sort)
      : Number(typeof one.sort === 'string') - Number(typeof other.sort === 'string');
  return bySort || (one.id < other.id ? -1 : 1);
}

async function matchingIds(
  session: Session,
  kind: Kind,
  what: LookedThrough,
  query: ListQuery,
): Promise<string[]> {
  const rows: Row[] = [];
  for await (const items of session.database.pages(listingQuery(kind, what, query))) {
    for (const item of items) rows.push({ id: String(item['id']), sort: item[query.sortBy] });
  }
  rows.sort(compareRows);
  if (query.sortOrder === 'desc') rows.reverse();
  return rows.map(({ id }) => id);
}

/** How often a page is read again because some of it went away while it was read. */
const tries = 3;

/** Reads one page of what matches, in a total order, and how many there are. */
export async function lookThrough(
  session: Session,
  kind: Kind,
  what: LookedThrough,
  query: ListQuery,
): Promise<Page> {
  for (let attempt = 1; ; attempt += 1) {
    const ids = await matchingIds(session, kind, what, query);
    const start = (query.page - 1) * query.limit;
    const wanted = ids.slice(start, start + query.limit);
    const items = await session.database.getMany(wanted.map((id) => entityKey(session.tenant, kind, id)));
    const found = new Map(items.map(decode).map(({ entity }) => [entity.id, entity]));
    if (found.size === wanted.length || attempt === tries) {
      const entities = wanted.flatMap((id) => found.get(id) ?? []);
      return { entities, total: ids.length - (wanted.length - entities.length) };
    }
  }
}
