/**
 * Holds the whole table against itself: every counter against what it counts, and every reference against what it
 * refers to.
 */
import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { listingsOf } from '../../functions/shared/store/counted-index/adjustments.ts';
import {
  Count,
  type Counter,
  firstBoundary,
  timeOf,
  toCounters,
} from '../../functions/shared/store/counted-index/counters.ts';
import { decode, entityKey, type Stored } from '../../functions/shared/store/entities.ts';
import { referencesOf } from '../../functions/shared/store/relations.ts';
import type { Item } from '../../functions/shared/store/writes.ts';

/** A counter that does not say what there is. */
export interface Drift {
  readonly partition: string;
  readonly level: 'block' | 'group';
  readonly start: string;
  readonly expected: Record<string, number>;
  readonly counted: Record<string, number>;
}

/** A reference to something that does not exist. */
export interface Orphan {
  readonly pk: string;
  readonly member: string;
  readonly refersTo: string;
}

export interface Report {
  readonly entities: number;
  readonly counters: number;
  readonly drifts: readonly Drift[];
  readonly orphans: readonly Orphan[];
}

interface Listing {
  readonly entities: Stored[];
  readonly items: Item[];
}

/** Everything that the table holds of entities and counters, by listing. */
async function readTable(client: DynamoDBDocumentClient, TableName: string) {
  const stored: { tenant: string; entity: Stored; pk: string }[] = [];
  const listings = new Map<string, Listing>();
  const listing = (partition: string): Listing => {
    const known = listings.get(partition) ?? { entities: [], items: [] };
    listings.set(partition, known);
    return known;
  };
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) {
    for (const item of Items as Item[]) {
      if (item.sk === 'entity') {
        const tenant = item.pk.split('#')[0] ?? '';
        const entity = decode(item);
        stored.push({ tenant, entity, pk: item.pk });
        for (const partition of listingsOf(tenant, entity)) listing(partition).entities.push(entity);
      } else if (/^(?:block|group)#/.test(item.sk)) {
        listing(item.pk).items.push(item);
      }
    }
  }
  return { stored, listings };
}

function differences(
  partition: string,
  level: 'block' | 'group',
  expected: ReadonlyMap<string, Count>,
  counters: readonly Counter[],
): Drift[] {
  const counted = new Map(counters.map(({ start, count }) => [start, count]));
  const starts = new Set([...expected.keys(), ...counted.keys()]);
  return [...starts].flatMap((start) => {
    const should = (expected.get(start) ?? new Count()).numbers();
    const does = (counted.get(start) ?? new Count()).numbers();
    const names = new Set([...Object.keys(should), ...Object.keys(does)]);
    const isSame = [...names].every((name) => should[name] === does[name]);
    return isSame ? [] : [{ partition, level, start, expected: should, counted: does }];
  });
}

function driftsOf(partition: string, { entities, items }: Listing): Drift[] {
  const of = (prefix: string): Counter[] =>
    toCounters(
      items.filter(({ sk }) => sk.startsWith(prefix)).sort((one, other) => (one.sk < other.sk ? -1 : 1)),
    );
  const blocks = of('block#');
  const groups = of('group#');
  const byBlock = new Map<string, Count>();
  const byGroup = new Map<string, Count>();
  const count = (counts: Map<string, Count>, start: string, status: string): void => {
    const known = counts.get(start) ?? new Count();
    known.add(status, 1);
    counts.set(start, known);
  };
  for (const { entity } of entities) {
    const block = blocks.findLast(({ start }) => start <= timeOf(entity.id));
    count(byBlock, block?.start ?? firstBoundary, entity.status);
    count(byGroup, block?.group ?? firstBoundary, entity.status);
  }
  return [
    ...differences(partition, 'block', byBlock, blocks),
    ...differences(partition, 'group', byGroup, groups),
  ];
}

/** Audits a table on which nothing is written meanwhile. */
export async function audit(client: DynamoDBDocumentClient, tableName: string): Promise<Report> {
  const { stored, listings } = await readTable(client, tableName);
  const existing = new Set(stored.map(({ pk }) => pk));
  const orphans = stored.flatMap(({ tenant, entity: { kind, entity }, pk }) =>
    referencesOf(kind).flatMap(({ member, parent }) =>
      [entity[member] ?? []]
        .flat()
        .map((id) => entityKey(tenant, parent, String(id)).pk)
        .filter((key) => !existing.has(key))
        .map((refersTo) => ({ pk, member, refersTo })),
    ),
  );
  return {
    entities: stored.length,
    counters: [...listings.values()].reduce((sum, { items }) => sum + items.length, 0),
    drifts: [...listings].flatMap(([partition, listing]) => driftsOf(partition, listing)),
    orphans,
  };
}
