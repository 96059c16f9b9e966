/** Any page of a listing in the order of creation, and its exact total, without reading the listing. */

import type { Database } from '../../dynamodb/database.ts';
import type { Query } from '../../dynamodb/query.ts';
import { statusPrefix } from '../../model/keys.ts';
import { type IndexFamily, table } from '../../model/table.ts';
import type { Item } from '../../model/writes.ts';
import { readUntilComplete } from '../catch-up.ts';
import {
  type Counted,
  cut,
  end,
  firstBoundary,
  isBoundaries,
  type Level,
  levels,
  type Section,
  toCounters,
  toGroup,
  toSections,
} from './counters.ts';

/** What is listed. */
export interface Listing {
  readonly family: IndexFamily;
  readonly partition: string;
  /** Only what has this status. */
  readonly status?: string | undefined;
}

/** Which part of the listing, counted from the newest or from the oldest. */
export interface Window {
  readonly order: 'asc' | 'desc';
  readonly skip: number;
  readonly limit: number;
  /** The members to read of each entity; without them, all that it has. */
  readonly members?: readonly string[] | undefined;
}

export interface Found {
  readonly items: readonly Item[];
  readonly total: number;
}

/** Entities that are skipped rather than looking for a nearer section. */
const worthSkipping = 16;

/** A place in the listing of which both are known: how many entities are before it, and the id that they are below. */
interface Anchor {
  readonly position: number;
  readonly boundary: string;
}

/** Entities by position, the first of the listing first: those from `from` up to, but without, `to`. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The query for all items of a level, as the last write left them. */
const itemsQuery = (partition: string, level: Level): Query => ({
  KeyConditionExpression: 'pk = :partition AND begins_with(sk, :level)',
  ExpressionAttributeValues: { ':partition': partition, ':level': levels[level] },
  ConsistentRead: true,
});

async function readAll(database: Database, query: Query): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of database.pages(query)) items.push(...page);
  return items;
}

/** What all groups count. */
const readGroups = async (database: Database, partition: string): Promise<Counted[]> =>
  toCounters(await readAll(database, itemsQuery(partition, 'group'))).map(toGroup);

/** How many entities a listing holds, by the counters of its groups. */
const totalOf = (groups: readonly Counted[], status: string | undefined): number =>
  groups.reduce((sum, { count }) => sum + count.of(status), 0);

/** How many entities a listing holds. */
export const readTotal = async (database: Database, { partition, status }: Listing): Promise<number> =>
  totalOf(await readGroups(database, partition), status);

/** The anchors at the boundaries of what is counted one after the other, the first of it at `position`. */
function anchorsOf(counted: readonly Counted[], status: string | undefined, position: number): Anchor[] {
  const anchors: Anchor[] = [];
  let sum = position;
  for (const { start, count } of counted) {
    anchors.push({ position: sum, boundary: start });
    sum += count.of(status);
  }
  return anchors;
}

/** A part of a listing, between two boundaries. */
export interface Part {
  readonly from: string;
  readonly to: string;
}

/** The query for the entities of a part of a listing. */
export function partQuery(
  { family, partition, status }: Listing,
  { from, to }: Part,
  direction: 'up' | 'down',
): Query {
  const index = status === undefined ? family : (`${family}-by-status` as const);
  const { partitionKey, sortKey } = table.indexes[index];
  const prefix = status === undefined ? '' : statusPrefix(status);
  return {
    IndexName: index,
    KeyConditionExpression: '#partition = :partition AND #key BETWEEN :first AND :last',
    ExpressionAttributeNames: { '#partition': partitionKey, '#key': sortKey },
    ExpressionAttributeValues: { ':partition': partition, ':first': prefix + from, ':last': prefix + to },
    ScanIndexForward: direction === 'up',
  };
}

/** Has a query give only some members of what it finds, without the keys of indexes. */
function onlyMembers(query: Query, members: readonly string[] | undefined): Query {
  if (!members) return query;
  const names = Object.fromEntries(members.map((member, place) => [`#member${place}`, member]));
  return {
    ...query,
    ProjectionExpression: Object.keys(names).join(', '),
    ExpressionAttributeNames: { ...query.ExpressionAttributeNames, ...names },
  };
}

/** Entities that lie one behind the other. */
interface Stretch {
  readonly boundary: string;
  readonly direction: 'up' | 'down';
  readonly skip: number;
  readonly count: number;
  readonly members: Window['members'];
}

/** Reads up to `count` entities from a boundary, in the direction's order, behind the first `skip`. */
async function readEntities(
  database: Database,
  listing: Listing,
  { boundary, direction, skip, count, members }: Stretch,
): Promise<Item[]> {
  const items: Item[] = [];
  const part = direction === 'up' ? { from: boundary, to: end } : { from: firstBoundary, to: boundary };
  const query = { ...onlyMembers(partQuery(listing, part, direction), members), Limit: skip + count };
  for await (const page of database.pages(query)) {
    items.push(...page);
    if (items.length >= skip + count) break;
  }
  return items.slice(skip, skip + count);
}

/** The nearest anchors on both sides of a range, and how many entities lie between. */
function nearest(anchors: readonly Anchor[], { from, to }: Range) {
  let below: Anchor | undefined;
  let above: Anchor | undefined;
  for (const anchor of anchors) {
    if (anchor.position <= from && (!below || anchor.position >= below.position)) below = anchor;
    if (anchor.position >= to && (!above || anchor.position < above.position)) above = anchor;
  }
  const skipUp = below ? from - below.position : Number.POSITIVE_INFINITY;
  const skipDown = above ? above.position - to : Number.POSITIVE_INFINITY;
  return skipUp <= skipDown && below
    ? { anchor: below, direction: 'up' as const, skip: skipUp }
    : { anchor: above ?? { position: 0, boundary: end }, direction: 'down' as const, skip: skipDown };
}

/** Whether items that were read in a direction end with the last of a block: others may be still to come. */
const isWhole = (items: readonly Item[], upwards: boolean): boolean => {
  const last = items.at(-1);
  return last !== undefined && (upwards ? isBoundaries(last) : last.sk.endsWith('#0'));
};

/** Items of a block as a rule: its counts and its boundaries. */
const itemsOfBlock = 2;

/**
 * Reads the sections of a group from its nearer end on, until they hold more than `wanted` entities.
 * @param to where the next group starts.
 */
async function readSectionsFrom(
  database: Database,
  { partition, status }: Listing,
  group: Counted,
  to: string,
  upwards: boolean,
  wanted: number,
): Promise<Section[]> {
  const share = wanted / Math.max(1, group.count.of(status));
  const query = {
    KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':partition': partition,
      ':first': levels.block + group.start,
      ':last': levels.block + to,
    },
    ConsistentRead: true,
    ScanIndexForward: upwards,
    // As many blocks as the page is likely to be behind, and one more.
    Limit: itemsOfBlock * (1 + Math.ceil(1.1 * cut.fullGroup * share)),
  };
  const items: Item[] = [];
  for await (const { items: page, next } of database.queryPages(query)) {
    items.push(...page);
    const sections = toSections(items);
    if (!next) return sections;
    const last = sections.at(upwards ? -1 : 0)?.block;
    const complete = isWhole(page, upwards) ? sections : sections.filter(({ block }) => block !== last);
    if (totalOf(complete, status) > wanted) return complete;
  }
  return toSections(items);
}

/** The anchors inside the group that a range begins in. */
async function sectionAnchors(
  database: Database,
  listing: Listing,
  groups: readonly Counted[],
  groupAnchors: readonly Anchor[],
  { from, to }: Range,
): Promise<Anchor[]> {
  const { status } = listing;
  const place = groupAnchors.findLastIndex(({ position }) => position <= from);
  const group = groups[place];
  const anchor = groupAnchors[place];
  if (!group || !anchor) return [];
  const upTo = anchor.position + group.count.of(status);
  const behind = from - anchor.position;
  const ahead = Math.max(0, upTo - to);
  const upwards = behind <= ahead;
  const nextStart = groups[place + 1]?.start ?? end;
  const wanted = Math.min(behind, ahead);
  const sections = await readSectionsFrom(database, listing, group, nextStart, upwards, wanted);
  return anchorsOf(sections, status, upwards ? anchor.position : upTo - totalOf(sections, status));
}

/** The range of positions that a window shows. */
export function rangeOf({ order, skip, limit }: Window, total: number): Range {
  const [from, to] = order === 'asc' ? [skip, skip + limit] : [total - skip - limit, total - skip];
  return { from: Math.max(0, from), to: Math.min(total, to) };
}

/** Items that were read in a direction, in the order that is asked for. */
export const inOrder = (
  items: readonly Item[],
  direction: 'up' | 'down',
  order: 'asc' | 'desc',
): readonly Item[] => ((direction === 'up') === (order === 'asc') ? items : items.toReversed());

/** The first entities of the window's order: the counters are read at the same time. */
async function firstWindow(
  database: Database,
  listing: Listing,
  { order, limit, members }: Window,
): Promise<Found> {
  const [boundary, direction] = order === 'asc' ? ([firstBoundary, 'up'] as const) : ([end, 'down'] as const);
  const [groups, items] = await Promise.all([
    readGroups(database, listing.partition),
    readEntities(database, listing, { boundary, direction, skip: 0, count: limit, members }),
  ]);
  const total = totalOf(groups, listing.status);
  return { items, total };
}

async function laterWindow(database: Database, listing: Listing, window: Window): Promise<Found> {
  const groups = await readGroups(database, listing.partition);
  const total = totalOf(groups, listing.status);
  const range = rangeOf(window, total);
  if (range.from >= range.to) return { items: [], total };
  const groupAnchors = anchorsOf(groups, listing.status, 0);
  const anchors = [
    { position: 0, boundary: firstBoundary },
    ...groupAnchors,
    { position: total, boundary: end },
  ];
  let near = nearest(anchors, range);
  if (near.skip > worthSkipping) {
    near = nearest(
      [...anchors, ...(await sectionAnchors(database, listing, groups, groupAnchors, range))],
      range,
    );
  }
  const { anchor, direction, skip } = near;
  const { order, members } = window;
  const stretch = { boundary: anchor.boundary, direction, skip, count: range.to - range.from, members };
  const items = await readEntities(database, listing, stretch);
  return { items: inOrder(items, direction, order), total };
}

/**
 * Reads a window again until the index has what the counters promise: not less, because it has not yet heard of what
 * is new, and not more, because it has not yet heard of what is gone.
 */
export async function readPromised(window: Window, read: () => Promise<Found>): Promise<Found> {
  const promised = (total: number): number => Math.max(0, Math.min(window.limit, total - window.skip));
  const { items, total } = await readUntilComplete(
    read,
    (found) => found.items.length === promised(found.total),
  );
  return { items: items.slice(0, promised(total)), total };
}

/** Reads a window of a listing in the order of creation. */
export function readWindow(database: Database, listing: Listing, window: Window): Promise<Found> {
  const read = window.skip === 0 ? firstWindow : laterWindow;
  return readPromised(window, () => read(database, listing, window));
}

/**
 * Cuts a listing into parts of about the same size, to be read side by side.
 * @param size entities below which a part is not worth a call of its own.
 * @param most parts.
 * @returns the parts in order, and how many entities they hold together.
 */
export async function divide(
  database: Database,
  listing: Listing,
  size: number,
  most: number,
): Promise<{ parts: Part[]; total: number }> {
  const groups = await readGroups(database, listing.partition);
  const total = totalOf(groups, listing.status);
  const number = Math.min(most, Math.ceil(total / size));
  // Parts of many groups are even enough; those of few are cut at sections.
  const counted =
    number > 1 && groups.length < 4 * most
      ? toSections(await readAll(database, itemsQuery(listing.partition, 'block')))
      : groups;
  const boundaries = [firstBoundary];
  for (const { position, boundary } of anchorsOf(counted, listing.status, 0)) {
    if (position >= (boundaries.length * total) / number) boundaries.push(boundary);
  }
  return { parts: boundaries.map((from, place) => ({ from, to: boundaries[place + 1] ?? end })), total };
}
