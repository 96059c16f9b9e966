/** A scan of the whole table. Writes continue meanwhile, so a difference must be confirmed by a second comparison. */

import { isDeepStrictEqual } from 'node:util';
import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { countedStatus, listingsOf } from '../../functions/shared/store/lists/counted-index/adjustments.ts';
import {
  type Counter,
  countAttribute,
  firstBoundary,
  firstSection,
  type Level,
  levels,
  type Numbers,
  sumOf,
  timeOf,
  toCounters,
  toSections,
} from '../../functions/shared/store/lists/counted-index/counters.ts';
import type { StoredEntity } from '../../functions/shared/store/model/entity.ts';
import { decodeEntity, encodeEntity } from '../../functions/shared/store/model/item-codec.ts';
import { entityKey } from '../../functions/shared/store/model/keys.ts';
import { referencesOf } from '../../functions/shared/store/model/relations.ts';
import type { Item, Key } from '../../functions/shared/store/model/writes.ts';
import { ScannedTexts } from './texts.ts';

/** Position of an entity in a listing, and the status under which it counts. */
export interface CountedEntity {
  readonly time: string;
  readonly status: string;
}

export interface ListingSnapshot {
  readonly partition: string;
  readonly counted: CountedEntity[];
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
  /** References to entities that the scan did not find. */
  readonly dangling: readonly Reference[];
  readonly malformed: readonly Key[];
  readonly texts: ScannedTexts;
}

const isCounter = (sk: string): boolean => Object.values(levels).some((prefix) => sk.startsWith(prefix));

/** Returns the tenant of a key. */
export const tenantOf = ({ pk }: Key): string => pk.slice(0, pk.indexOf('#'));

/** Returns the references of an entity, as keys. */
export function referencesFrom(tenant: string, { kind, entity }: StoredEntity): Reference[] {
  const child = entityKey(tenant, kind, entity.id);
  return referencesOf(kind).flatMap(({ field: member, parent }) =>
    [entity[member] ?? []]
      .flat()
      .map((id) => ({ child, member, parent: entityKey(tenant, parent, String(id)) })),
  );
}

/** Collects the items of a scan. */
class Collection {
  readonly entities = new Set<string>();
  readonly listings = new Map<string, ListingSnapshot>();
  readonly malformed: Key[] = [];
  readonly texts = new ScannedTexts();
  readonly #references: Reference[] = [];

  #listing(partition: string): ListingSnapshot {
    const known = this.listings.get(partition) ?? { partition, counted: [], items: [] };
    this.listings.set(partition, known);
    return known;
  }

  add(item: Item): void {
    this.texts.add(item);
    if (isCounter(item.sk)) this.#listing(item.pk).items.push(item);
    if (item.sk !== 'entity') return;
    const { pk, sk } = item;
    const stored = decodeEntity(item);
    const tenant = tenantOf(item);
    this.entities.add(pk);
    this.#references.push(...referencesFrom(tenant, stored));
    if (!isDeepStrictEqual({ ...encodeEntity(tenant, stored, stored.stamp ?? 0) }, { ...item }))
      this.malformed.push({ pk, sk });
    for (const { partition } of listingsOf(tenant, stored)) {
      const status = countedStatus(stored.entity.status);
      this.#listing(partition).counted.push({ time: timeOf(stored.entity.id), status });
    }
  }

  get dangling(): Reference[] {
    return this.#references.filter(({ parent }) => !this.entities.has(parent.pk));
  }
}

/**
 * Scans the whole table. Each item is read consistently; the scan as a whole is not.
 * @param onItems receives the number of items in each page.
 */
export async function readSnapshot(
  client: DynamoDBDocumentClient,
  TableName: string,
  onItems: (count: number) => void,
): Promise<Snapshot> {
  const collection = new Collection();
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
    for (const item of Items as Item[]) collection.add(item);
    onItems(Items.length);
  }
  return collection;
}

/** A counter that differs from the number of entities. */
export interface Difference {
  readonly level: Level;
  /** The group of the counter. */
  readonly group: string;
  readonly counter: Counter;
  readonly expected: Numbers;
}

/** Compares the counters of a listing, or of a part of it, with the entities that they count. */
export function differences(counted: readonly CountedEntity[], items: readonly Item[]): Difference[] {
  const itemsOf = (level: Level): Item[] =>
    items.filter(({ sk }) => sk.startsWith(levels[level])).sort((one, other) => (one.sk < other.sk ? -1 : 1));
  const sections = toSections(itemsOf('block'));
  const numbers = {
    block: new Map<string, [string, number][]>(),
    group: new Map<string, [string, number][]>(),
  };
  const count = (level: Level, start: string, attribute: string): void => {
    const own = numbers[level].get(start) ?? [];
    numbers[level].set(start, own);
    own.push([attribute, 1]);
  };
  for (const { time, status } of counted) {
    const section = sections.findLast(({ start }) => start <= time) ?? firstSection;
    count('block', section.block, countAttribute(section.ordinal, status));
    count('group', section.group, countAttribute(undefined, status));
  }
  const groups = new Map(sections.map(({ block, group }) => [block, group]));
  return (['block', 'group'] as const).flatMap((level) => {
    const counters = new Map(toCounters(itemsOf(level)).map((one) => [one.start, one]));
    return [...new Set([...numbers[level].keys(), ...counters.keys()])].flatMap((start): Difference[] => {
      const expected = sumOf(numbers[level].get(start) ?? []);
      const counter = counters.get(start) ?? { start, parts: [], numbers: {} };
      if (isDeepStrictEqual(expected, { ...counter.numbers })) return [];
      const group = level === 'group' ? start : (groups.get(start) ?? firstBoundary);
      return [{ level, group, counter, expected }];
    });
  });
}
