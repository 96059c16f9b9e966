/** Reads the log for a page of the feed: upwards, consistently, and not more than a page needs. */

import type { QueryPage } from '../../dynamodb/query.ts';
import { decodeRecord, logPartition, manifestSortKey, stampPrefix } from '../../model/change-log.ts';
import type { Kind } from '../../model/relations.ts';
import { itemBytes } from '../../model/write-units.ts';
import type { Item } from '../../model/writes.ts';
import type { Session } from '../../unit-of-work/session.ts';
import { decodeManifest, emptyManifest, isManifest, type Manifest } from '../engine/format/manifest.ts';
import type { ChangesMerger } from './merge-changes.ts';
import type { RequestBudget } from './request-budget.ts';

/** Read units of new records after which no more of the log is read. Entities and descriptions need the others. */
const maxLogUnits = 40;

/** Records of the first query. Those of batches and jobs can have 25 to 45 entities each: four of them fill a page. */
const firstRecords = 4;

/** Records that were given before, up to which a query has new ones too. */
const fewRecords = 20;

/** Records of one query. */
const maxRecords = 1_000;

/** Read units that the log leaves: each page has at least one entity, with its description. */
const entityUnits = 5;

const bytesPerUnit = 4_096;

/**
 * Read units of the largest record that is expected: one of 10 KB. A batch of 25 tasks takes about one unit. Nobody knows how large the next records are. So
 * no query asks for more than the request can pay if each of them is as large as this, or as the largest one before.
 */
const maxRecordUnits = 2.5;

/** How full the units of a query are meant to be. Records differ in size, and a query that has a little more costs a whole unit more. */
const shareOfUnits = 0.95;

/** How a page of the log ends. */
type LogEnd = { readonly hasMore: true } | { readonly hasMore: false; readonly manifest: Manifest };

/** Read units that the next query and one entity need, at least. */
const minUnits = maxRecordUnits + entityUnits;

/** Returns the limit of a query for so many records: one more says whether the log ends behind them. */
const withEnd = (records: number): number => records + 1;

/** What the queries of a page have read. */
class Progress {
  readonly #budget: RequestBudget;
  #records = 0;
  #bytes = 0;
  #largest = 0;
  #givenUnits: number | undefined;

  constructor(budget: RequestBudget) {
    this.#budget = budget;
  }

  add(item: Item): void {
    const bytes = itemBytes(item);
    this.#records += 1;
    this.#bytes += bytes;
    this.#largest = Math.max(this.#largest, bytes);
  }

  /** Returns the number of records that the request can pay, in whole read units. */
  #affordable(): number {
    const perUnit = (bytesPerUnit * this.#records) / this.#bytes;
    const recordUnits = Math.max(maxRecordUnits, this.#largest / bytesPerUnit);
    // One is left for the end of the log.
    const records = Math.floor((this.#budget.left - entityUnits) / recordUnits) - 1;
    const units = Math.floor(records / perUnit);
    return Math.max(1, units > 0 ? Math.floor(units * perUnit * shareOfUnits) : records);
  }

  /** Returns the number of records of the next query: about those that the page needs, as far as its units allow. */
  nextLimit({ keys, wanted, hasAllGiven, matched, cursor: { given } }: ChangesMerger): number {
    if (!hasAllGiven)
      return given > fewRecords
        ? maxRecords
        : withEnd(Math.max(firstRecords, given - keys.length) + firstRecords);
    if (this.#records === 0) return firstRecords;
    // Filters leave few changes of many records.
    const perChange = this.#records / Math.max(1, matched);
    const needed = Math.max(firstRecords, Math.ceil(wanted * perChange));
    const affordable = this.#affordable();
    return needed <= affordable ? withEnd(needed) : affordable;
  }

  /** Returns whether the page has enough, or has cost enough, when it has all records that were given before. */
  isEnough({ wanted }: ChangesMerger): boolean {
    if (this.#givenUnits === undefined && this.#budget.left < minUnits) this.#budget.allowBesideGiven();
    this.#givenUnits ??= this.#budget.used;
    const { left, used } = this.#budget;
    return wanted <= 0 || left < minUnits || used - this.#givenUnits >= maxLogUnits;
  }
}

interface LogRequest {
  readonly kind: Kind;
  readonly page: ChangesMerger;
  readonly budget: RequestBudget;
}

type Start = Readonly<Record<string, unknown>> | undefined;

/** Reads the next items for a page. Many records that were given before are read by themselves, so that they cost nothing more. */
async function readItems(
  { tenant, database }: Session,
  { kind, page }: LogRequest,
  limit: number,
  start: Start,
): Promise<QueryPage> {
  const { from, at = manifestSortKey, given } = page.cursor;
  const partition = logPartition(tenant, kind);
  const last = given > fewRecords && !page.hasAllGiven ? at : manifestSortKey;
  const { items, next } = await database.query(
    {
      KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':partition': partition,
        ':first': stampPrefix(from + 1),
        ':last': last,
      },
      ConsistentRead: true,
      Limit: limit,
    },
    start,
  );
  if (next) return { items, next };
  page.endGiven();
  return { items, next: last === manifestSortKey ? undefined : { pk: partition, sk: last } };
}

/**
 * Gives the records above a cursor to a page, until the page is full or costs enough.
 * @returns the manifest if the page has all records of the log.
 */
export async function readLog(session: Session, request: LogRequest): Promise<LogEnd> {
  const { page, budget } = request;
  const progress = new Progress(budget);
  let start: Start;
  do {
    const { items, next } = await readItems(session, request, progress.nextLimit(page), start);
    for (const item of items) {
      // No record sorts after it.
      if (isManifest(item)) return { hasMore: false, manifest: decodeManifest(item) };
      progress.add(item);
      if (!page.add(decodeRecord(item))) return { hasMore: true };
    }
    start = next;
    // An entity could return to an earlier version if the page ended among the records that were given before.
    if (start && page.hasAllGiven && progress.isEnough(page)) return { hasMore: true };
  } while (start);
  return { hasMore: false, manifest: emptyManifest };
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
