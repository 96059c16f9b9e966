/** What changes of entities mean for the counters, in the same transaction. */
import type { Change } from '../../model/changes.ts';
import { isCountedStatus, type StoredEntity } from '../../model/entity.ts';
import { kindPartition, parentPartition } from '../../model/keys.ts';
import { referencesOf } from '../../model/relations.ts';
import type { Addition, Write } from '../../model/writes.ts';
import type { Session } from '../../unit-of-work/session.ts';
import { Count, countAttribute, counterAddition, type Level, sumOf } from './counters.ts';
import type { Listing } from './page.ts';
import { type Beginning, readSections } from './sections.ts';

export interface Adjustments {
  /** Belong to the transaction of the changes. */
  readonly writes: readonly Write[];
  /** Sections to begin beside it. */
  readonly beginnings: readonly Beginning[];
}

/** Returns the name under which a status is counted. */
export const countedStatus = (status: string): string => (isCountedStatus(status) ? status : 'other');

/** The listings that an entity is in. */
export function listingsOf(tenant: string, { kind, entity }: StoredEntity): Listing[] {
  const parents = referencesOf(kind).flatMap((relation): Listing[] => {
    const { field, index: family } = relation;
    const parentId = entity[field];
    return family && typeof parentId === 'string'
      ? [{ family, partition: parentPartition(tenant, relation, parentId) }]
      : [];
  });
  return [{ family: 'all', partition: kindPartition(tenant, kind) }, ...parents];
}

/** Everything counted in one listing, by id. */
interface ListingChange {
  readonly counts: Map<string, Count>;
  /** How many of it are new, and may fill the last section. */
  added: number;
}

/** What changes in which listing; a change that stays in its listing and status changes nothing there. */
function changesByListing(tenant: string, changes: readonly Change[]): Map<string, ListingChange> {
  const byListing = new Map<string, ListingChange>();
  const add = (stored: StoredEntity | undefined, number: 1 | -1, added: 1 | 0): void => {
    if (!stored) return;
    const { id, status } = stored.entity;
    for (const { partition } of listingsOf(tenant, stored)) {
      const listing = byListing.get(partition) ?? { counts: new Map<string, Count>(), added: 0 };
      byListing.set(partition, listing);
      const count = listing.counts.get(id) ?? new Count();
      listing.counts.set(id, count);
      count.add(countedStatus(status), number);
      listing.added += added;
    }
  };
  for (const { before, after } of changes) {
    add(before, -1, 0);
    add(after, 1, before ? 0 : 1);
  }
  for (const [partition, { counts }] of byListing) {
    for (const [id, count] of counts) if (count.isZero) counts.delete(id);
    if (counts.size === 0) byListing.delete(partition);
  }
  return byListing;
}

/** Sums the counts of ids by the counters that they belong to. */
function additionsOf(
  partition: string,
  level: Level,
  counts: ReadonlyMap<string, Count>,
  placeOf: (id: string) => { readonly start: string; readonly section: number | undefined },
): Addition[] {
  const numbers = new Map<string, [attribute: string, number: number][]>();
  for (const [id, { statuses }] of counts) {
    const { start, section } = placeOf(id);
    const own = numbers.get(start) ?? [];
    numbers.set(start, own);
    for (const [status, number] of statuses) own.push([countAttribute(section, status), number]);
  }
  return [...numbers]
    .map(([start, own]) => ({ start, sum: sumOf(own) }))
    .filter(({ sum }) => Object.keys(sum).length > 0)
    .map(({ start, sum }) => counterAddition(partition, level, start, sum));
}

async function adjustListing(
  session: Session,
  partition: string,
  { counts, added }: ListingChange,
): Promise<Adjustments> {
  const upTo = added > 0 ? 'end' : 'latest id';
  const sections = await readSections(session.database, partition, [...counts.keys()], upTo);
  const beginning = added > 0 ? sections.next(Date.now(), added) : undefined;
  return {
    writes: [
      ...additionsOf(partition, 'block', counts, (id) => {
        const { block, ordinal } = sections.of(id);
        return { start: block, section: ordinal };
      }),
      ...additionsOf(partition, 'group', counts, (id) => ({
        start: sections.of(id).group,
        section: undefined,
      })),
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
