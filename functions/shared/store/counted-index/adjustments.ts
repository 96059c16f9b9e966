/** What changes of entities mean for the counters, in the same transaction. */
import type { Change } from '../changes.ts';
import { kindPartition, parentPartition, type Stored } from '../entities.ts';
import { referencesOf } from '../relations.ts';
import type { Session } from '../session.ts';
import type { Write } from '../writes.ts';
import { type Beginning, readBlocks } from './blocks.ts';
import { blockAddition, Count, type Counter, groupAddition } from './counters.ts';
import type { Listing } from './page.ts';

export interface Adjustments {
  /** Belong to the transaction of the changes. */
  readonly writes: readonly Write[];
  /** Blocks to begin beside it. */
  readonly beginnings: readonly Beginning[];
}

/** The listings that an entity is in. */
export function listingsOf(tenant: string, { kind, entity }: Stored): Listing[] {
  const parents = referencesOf(kind).flatMap(({ member, listing: family }): Listing[] => {
    const parentId = entity[member];
    return family && typeof parentId === 'string'
      ? [{ family, partition: parentPartition(tenant, kind, parentId) }]
      : [];
  });
  return [{ family: 'all', partition: kindPartition(tenant, kind) }, ...parents];
}

/** Everything counted in one listing, by id. */
interface ListingChange {
  readonly counts: Map<string, Count>;
  /** Whether there are new ones, which may fill the last block. */
  readonly hasNew: boolean;
}

/** What changes in which listing; a change that stays in its listing and status changes nothing there. */
function changesByListing(tenant: string, changes: readonly Change[]): Map<string, ListingChange> {
  const byListing = new Map<string, ListingChange>();
  const add = (stored: Stored | undefined, number: 1 | -1, isNew: boolean): void => {
    if (!stored) return;
    const { id, status } = stored.entity;
    for (const { partition } of listingsOf(tenant, stored)) {
      const { counts, hasNew } = byListing.get(partition) ?? {
        counts: new Map<string, Count>(),
        hasNew: false,
      };
      const count = counts.get(id) ?? new Count();
      count.add(status, number);
      byListing.set(partition, { counts: counts.set(id, count), hasNew: hasNew || isNew });
    }
  };
  for (const { before, after } of changes) {
    add(before, -1, false);
    add(after, 1, !before);
  }
  for (const [partition, { counts }] of byListing) {
    for (const [id, count] of counts) if (count.isZero) counts.delete(id);
    if (counts.size === 0) byListing.delete(partition);
  }
  return byListing;
}

/** Sums the counts of ids by where they belong. */
function sumBy<Place>(
  counts: ReadonlyMap<string, Count>,
  placeOf: (id: string) => { name: string; place: Place },
): { place: Place; numbers: Record<string, number> }[] {
  const sums = new Map<string, { place: Place; count: Count }>();
  for (const [id, count] of counts) {
    const { name, place } = placeOf(id);
    const sum = sums.get(name) ?? { place, count: new Count() };
    sums.set(name, sum);
    sum.count.addAll(count);
  }
  return [...sums.values()]
    .map(({ place, count }) => ({ place, numbers: count.numbers() }))
    .filter(({ numbers }) => Object.keys(numbers).length > 0);
}

async function adjustListing(
  session: Session,
  partition: string,
  change: ListingChange,
): Promise<Adjustments> {
  const { counts, hasNew } = change;
  const blocks = await readBlocks(
    session.database,
    partition,
    [...counts.keys()],
    hasNew ? 'end' : 'latest id',
  );
  const byBlock = sumBy<Counter>(counts, (id) => ({ name: blocks.of(id).start, place: blocks.of(id) }));
  const byGroup = sumBy<string>(counts, (id) => ({ name: blocks.of(id).group, place: blocks.of(id).group }));
  const beginning = hasNew ? blocks.next(Date.now()) : undefined;
  return {
    writes: [
      ...byBlock.map(({ place, numbers }) => blockAddition(partition, place, numbers)),
      ...byGroup.map(({ place, numbers }) => groupAddition(partition, place, numbers)),
    ],
    beginnings: beginning ? [beginning] : [],
  };
}

/**
 * The additions to counters that belong to changes of entities. New entities must have their ids already: an id
 * is stamped before the boundaries are read.
 */
export async function adjustments(session: Session, changes: readonly Change[]): Promise<Adjustments> {
  const listings = [...changesByListing(session.tenant, changes)];
  const all = await Promise.all(
    listings.map(([partition, change]) => adjustListing(session, partition, change)),
  );
  return {
    writes: all.flatMap(({ writes }) => writes),
    beginnings: all.flatMap(({ beginnings }) => beginnings),
  };
}
