/** One look at the whole table, which is written to meanwhile: what is wrong in it is yet to be confirmed. */
import { isDeepStrictEqual } from 'node:util';
import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { listingsOf } from '../../functions/shared/store/counted-index/adjustments.ts';
import {
  Count,
  type Counter,
  firstBoundary,
  type Level,
  levels,
  timeOf,
  toCounters,
} from '../../functions/shared/store/counted-index/counters.ts';
import { decode, encode, entityKey, type Stored } from '../../functions/shared/store/entities.ts';
import { referencesOf } from '../../functions/shared/store/relations.ts';
import type { Item, Key } from '../../functions/shared/store/writes.ts';

/** Where an entity is in a listing, and as what it counts. */
export interface Counted {
  readonly time: string;
  readonly status: string;
}

export interface ListingSnapshot {
  readonly partition: string;
  readonly counted: Counted[];
  readonly items: Item[];
}

/** A reference from one entity to another. */
export interface Reference {
  readonly child: Key;
  readonly member: string;
  readonly parent: Key;
}

export interface Snapshot {
  readonly entities: ReadonlySet<string>;
  readonly listings: ReadonlyMap<string, ListingSnapshot>;
  /** References to what was not found. */
  readonly dangling: readonly Reference[];
  readonly malformed: readonly Key[];
}

const isCounter = (sk: string): boolean => Object.values(levels).some((prefix) => sk.startsWith(prefix));

/** The tenant that a key belongs to. */
export const tenantOf = ({ pk }: Key): string => pk.slice(0, pk.indexOf('#'));

/** The references of an entity, by keys. */
export function referencesFrom(tenant: string, { kind, entity }: Stored): Reference[] {
  const child = entityKey(tenant, kind, entity.id);
  return referencesOf(kind).flatMap(({ member, parent }) =>
    [entity[member] ?? []]
      .flat()
      .map((id) => ({ child, member, parent: entityKey(tenant, parent, String(id)) })),
  );
}

/** What a scan has seen so far. */
class Collection {
  readonly entities = new Set<string>();
  readonly listings = new Map<string, ListingSnapshot>();
  readonly malformed: Key[] = [];
  readonly #references: Reference[] = [];

  #listing(partition: string): ListingSnapshot {
    const known = this.listings.get(partition) ?? { partition, counted: [], items: [] };
    this.listings.set(partition, known);
    return known;
  }

  add(item: Item): void {
    if (isCounter(item.sk)) this.#listing(item.pk).items.push(item);
    if (item.sk !== 'entity') return;
    const { pk, sk } = item;
    const stored = decode(item);
    const tenant = tenantOf(item);
    this.entities.add(pk);
    this.#references.push(...referencesFrom(tenant, stored));
    if (!isDeepStrictEqual({ ...encode(tenant, stored) }, { ...item })) this.malformed.push({ pk, sk });
    for (const { partition } of listingsOf(tenant, stored)) {
      this.#listing(partition).counted.push({ time: timeOf(stored.entity.id), status: stored.entity.status });
    }
  }

  get dangling(): Reference[] {
    return this.#references.filter(({ parent }) => !this.entities.has(parent.pk));
  }
}

/**
 * Reads the whole table, consistently item by item.
 * @param onItems hears how many items have come.
 */
export async function readSnapshot(
  client: DynamoDBDocumentClient,
  TableName: string,
  onItems: (number: number) => void,
): Promise<Snapshot> {
  const collection = new Collection();
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
    for (const item of Items as Item[]) collection.add(item);
    onItems(Items.length);
  }
  return collection;
}

/** A counter that says something else than there is. */
export interface Difference {
  readonly level: Level;
  readonly start: string;
  /** The group that it belongs to, or that it is. */
  readonly group: string;
  /** None when there is no such item yet. */
  readonly counter: Counter | undefined;
  readonly expected: Count;
}

const isSame = (one: Count, other: Count): boolean => isDeepStrictEqual(sorted(one), sorted(other));

const sorted = (count: Count): [string, number][] =>
  Object.entries(count.numbers()).sort(([one], [other]) => (one < other ? -1 : 1));

/** Holds the counters of a listing, or of a part of it, against what they count. */
export function differences(counted: readonly Counted[], items: readonly Item[]): Difference[] {
  const countersOf = (level: Level): Counter[] =>
    toCounters(
      items
        .filter(({ sk }) => sk.startsWith(levels[level]))
        .sort((one, other) => (one.sk < other.sk ? -1 : 1)),
    );
  const blocks = countersOf('block');
  const expected = { block: new Map<string, Count>(), group: new Map<string, Count>() };
  const groups = new Map(blocks.map(({ start, group }) => [start, group]));
  const count = (level: Level, start: string, status: string): void => {
    const known = expected[level].get(start) ?? new Count();
    known.add(status, 1);
    expected[level].set(start, known);
  };
  for (const { time, status } of counted) {
    const block = blocks.findLast(({ start }) => start <= time);
    count('block', block?.start ?? firstBoundary, status);
    count('group', block?.group ?? firstBoundary, status);
  }
  return (['block', 'group'] as const).flatMap((level) => {
    const counters = new Map((level === 'block' ? blocks : countersOf(level)).map((one) => [one.start, one]));
    return [...new Set([...expected[level].keys(), ...counters.keys()])].flatMap((start): Difference[] => {
      const should = expected[level].get(start) ?? new Count();
      const counter = counters.get(start);
      if (isSame(should, counter?.count ?? new Count())) return [];
      const group = level === 'group' ? start : (groups.get(start) ?? firstBoundary);
      return [{ level, start, group, counter, expected: should }];
    });
  });
}
