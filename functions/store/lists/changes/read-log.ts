/** Reads the log for a page of the feed: upwards, consistently, and not more than a page needs. */
import { decodeRecord, logPartition, manifestSortKey, stampPrefix } from '../../model/change-log.ts';
import type { Kind } from '../../model/relations.ts';
import type { Session } from '../../unit-of-work/session.ts';
import { decodeManifest, emptyManifest, isManifest, type Manifest } from '../engine/format/manifest.ts';
import type { ChangesMerger } from './merge-changes.ts';

/** Records of the first query. Those of batches and jobs can have 25 to 45 entities each: four of them fill a page. */
const firstRecords = 4;

/** Records of one query. */
const maxRecords = 1_000;

/**
 * Read units after which a page ends, unless records that were given before are not read yet. With the entities or descriptions that a page
 * reads besides, a request costs at most 100.
 */
const maxUnits = 40;

/** How a page of the log ends. */
type LogEnd = { readonly hasMore: true } | { readonly hasMore: false; readonly manifest: Manifest };

/** Returns the number of records of the next query: about those that the page needs, as far as its units allow. */
function nextLimit(page: ChangesMerger, units: number): number {
  const { keys, wanted, hasAllGiven, maxChanges } = page;
  if (keys.length === 0) return firstRecords;
  const perUnit = keys.length / units;
  if (!hasAllGiven) return Math.min(maxRecords, Math.ceil(maxUnits * perUnit));
  // Filters leave few changes of many records.
  const perChange = keys.length / Math.max(1, maxChanges - wanted);
  const affordable = Math.min(maxRecords, Math.floor((maxUnits - units) * perUnit));
  return Math.max(firstRecords, Math.min(affordable, Math.ceil(wanted * perChange)));
}

/**
 * Gives the records above a stamp to a page, until the page is full or costs enough.
 * @returns the manifest if the page has all records of the log.
 */
export async function readLog(
  { tenant, database }: Session,
  kind: Kind,
  above: number,
  page: ChangesMerger,
): Promise<LogEnd> {
  const { consumption } = database;
  const before = consumption.readUnits;
  let manifest = emptyManifest;
  let start: Readonly<Record<string, unknown>> | undefined;
  do {
    const units = consumption.readUnits - before;
    const { items, next } = await database.query(
      {
        KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: {
          ':partition': logPartition(tenant, kind),
          ':first': stampPrefix(above + 1),
          ':last': manifestSortKey,
        },
        ConsistentRead: true,
        Limit: nextLimit(page, units),
      },
      start,
    );
    for (const item of items) {
      if (isManifest(item)) manifest = decodeManifest(item);
      else if (!page.add(decodeRecord(item))) return { hasMore: true };
    }
    start = next;
    const isEnough = page.wanted <= 0 || consumption.readUnits - before >= maxUnits;
    // An entity could return to an earlier version if the page ended among the records that were given before.
    if (start && page.hasAllGiven && isEnough) return { hasMore: true };
  } while (start);
  return { hasMore: false, manifest };
}

/** Reads the manifest of a log consistently. */
export async function readManifest({ tenant, database }: Session, kind: Kind): Promise<Manifest> {
  const { items } = await database.query({
    KeyConditionExpression: 'pk = :partition AND sk = :manifest',
    ExpressionAttributeValues: { ':partition': logPartition(tenant, kind), ':manifest': manifestSortKey },
    ConsistentRead: true,
  });
  return items[0] ? decodeManifest(items[0]) : emptyManifest;
}
