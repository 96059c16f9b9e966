/** Which section an id belongs to, and when the next one begins. */

import type { Database } from '../../dynamodb/database.ts';
import type { QueryPage } from '../../dynamodb/query.ts';
import { isSpread, spreading } from '../../dynamodb/spread.ts';
import { notExists } from '../../model/condition-expressions.ts';
import { beginJob } from '../../model/job.ts';
import type { Item, Write } from '../../model/writes.ts';
import type { Session } from '../../unit-of-work/session.ts';
import {
  boundariesKey,
  boundaryAt,
  cut,
  end,
  firstBoundary,
  firstSection,
  levels,
  millisecondsAt,
  type Section,
  startOf,
  timeOf,
  toSections,
} from './counters.ts';

/**
 * Items read at once, from the end of a listing: first the last block of a quiet one, with the one before, so that it is
 * known to be whole, and one that may have begun ahead; then blocks whose counts are spread.
 */
const itemsAtEnd = { quiet: 5, spread: 2 * (spreading.mostParts + 1) + 4 };

/** Items read at once around ids: four blocks of a quiet listing. What was made at one time is in one or two of them. */
const itemsAround = 8;

/** The next sections of a listing, which lie in the future. */
export interface Beginning {
  readonly partition: string;
  /** The section behind which they come. */
  readonly last: Section;
  /** When they begin, in milliseconds since 1970. */
  readonly times: readonly number[];
  /** A boundary that were written later might not lie in the future any more. */
  readonly until: number;
}

/** When the beginning of a section was written, at the earliest. */
const plannedAt = ({ start }: Section): number => millisecondsAt(start) - cut.ahead - cut.grid - cut.planned;

const onGrid = (milliseconds: number): number => Math.ceil(milliseconds / cut.grid) * cut.grid;

/** The sections of a listing around some ids. */
export class Sections {
  readonly #partition: string;
  /** The last first. */
  readonly #sections: readonly Section[];

  constructor(partition: string, items: readonly Item[]) {
    this.#partition = partition;
    this.#sections = toSections(items).reverse();
  }

  /** The section that an id belongs to: it follows from the id alone, because boundaries never move. */
  of(id: string): Section {
    const time = timeOf(id);
    return this.#sections.find(({ start }) => start <= time) ?? firstSection;
  }

  /**
   * Entities that come to be in a millisecond, as far as the counters tell: since the newest section began, or, where
   * that is the future, since it was planned.
   */
  #rate(now: number): number {
    let number = 0;
    for (const [place, { start, count }] of this.#sections.entries()) {
      const age = now - millisecondsAt(start);
      if (age <= 0) continue;
      number += count.total;
      const following = this.#sections[place - 1];
      const overflow = following && (count.total - cut.fullSection) / (now - plannedAt(following));
      if (age >= cut.grid) return Math.max(number / age, overflow ?? 0);
    }
    return 0;
  }

  /**
   * The beginning of the next section, when the last will be full before one could begin, and none has. It lies in
   * the future, so that nothing is locked: every entity stamped until then belongs to the last section, and whoever
   * stamps one later reads the new boundary. When many come to be, several begin one after the other.
   * @param added entities that are about to be written.
   */
  next(now: number, added: number): Beginning | undefined {
    const last = this.#sections[0] ?? firstSection;
    const lastStart = millisecondsAt(last.start);
    const earliest = now + cut.ahead;
    if (lastStart > earliest) return undefined;
    const rate = this.#rate(now);
    const expected = last.count.total + added + rate * (earliest - Math.max(now, lastStart));
    if (expected < cut.fullSection) return undefined;
    const spacing = Math.min(cut.planned, onGrid(cut.fullSection / rate));
    const times = Array.from(
      { length: Math.ceil(cut.planned / spacing) },
      (_, number) => onGrid(earliest) + number * spacing,
    );
    return { partition: this.#partition, last, times, until: now + cut.ahead / 3 };
  }
}

/** The blocks of a listing downwards, from that which a time is in. */
const blocksQuery = (partition: string, time: string) => ({
  KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
  ExpressionAttributeValues: {
    ':partition': partition,
    ':first': levels.block,
    ':last': `${levels.block}${time}${end}`,
  },
  ConsistentRead: true,
  ScanIndexForward: false,
});

/** What was read of a listing, downwards. */
interface Reading {
  readonly items: readonly Item[];
  /** Whether there is more below. */
  readonly goesOn: boolean;
}

/** The times that are in blocks further down than what was read. */
const timesBelow = (times: readonly string[], { items, goesOn }: Reading): readonly string[] =>
  goesOn ? times.filter((time) => items.every((item) => startOf(item) > time)) : [];

/** Reads the blocks from the last down to that of a time, with all that they count. */
async function readLast(database: Database, partition: string, time: string): Promise<Reading> {
  const query = blocksQuery(partition, '');
  const items: Item[] = [];
  let limit = isSpread(partition) ? itemsAtEnd.spread : itemsAtEnd.quiet;
  let next: QueryPage['next'];
  do {
    const page = await database.query({ ...query, Limit: limit }, next);
    items.push(...page.items);
    limit = itemsAtEnd.spread;
    next = page.next;
    // Where an earlier block has begun, all of the one that the time is in is read.
  } while (next && new Set(items.map(startOf).filter((start) => start <= time)).size < 2);
  return { items, goesOn: next !== undefined };
}

/**
 * Reads where the sections are in the blocks that times are in; of what they count, perhaps not all. Read downwards, a
 * block's boundaries come before its counts: its first item tells.
 * @param times in their order.
 */
async function readAround(database: Database, partition: string, times: readonly string[]): Promise<Item[]> {
  const read = async (time: string, limit: number): Promise<Reading> => {
    const { items, next } = await database.query({ ...blocksQuery(partition, `${time}#`), Limit: limit });
    return { items, goesOn: next !== undefined };
  };
  const latest = times.at(-1);
  if (latest === undefined) return [];
  const first = await read(latest, times.length > 1 ? itemsAround : 1);
  // What was made long before is in blocks far away: one item of each is less than all that lies between.
  const others = await Promise.all(timesBelow(times, first).map((time) => read(time, 1)));
  const items = [first, ...others].flatMap((reading) => reading.items);
  return [...new Map(items.map((item) => [item.sk, item])).values()];
}

/**
 * Reads the sections that some ids are in.
 * @param upTo whether only these matter, or also those that have begun since, and how full they are.
 */
export async function readSections(
  database: Database,
  partition: string,
  ids: readonly string[],
  upTo: 'latest id' | 'end',
): Promise<Sections> {
  const times = [...new Set(ids.map(timeOf))].sort();
  if (upTo === 'latest id') return new Sections(partition, await readAround(database, partition, times));
  // How many come to be is told by sections that are not all new.
  const settled = boundaryAt(millisecondsAt(times.at(-1) ?? firstBoundary) - cut.grid);
  const last = await readLast(database, partition, settled);
  const earlier = await readAround(database, partition, timesBelow(times, last));
  return new Sections(partition, [...last.items, ...earlier]);
}

/** The writes that begin sections: in the last block as long as it has room, and then in new ones. */
function beginningWrites(tenant: string, { partition, last, times }: Beginning): Write[] {
  const inLast = times.slice(0, cut.fullBlock - 1 - last.ordinal);
  // Boundaries of sections are stored as numbers of milliseconds: eight bytes instead of thirteen.
  const boundaries = new Map<string, number | string>(
    inLast.map((time, place) => [String(last.ordinal + 1 + place), time]),
  );
  const writes: Write[] = [];
  let { group, blockOrdinal } = last;
  let next: string | undefined;
  for (let from = inLast.length; from < times.length; from += cut.fullBlock) {
    const [first = 0, ...others] = times.slice(from, from + cut.fullBlock);
    const start = boundaryAt(first);
    [group, blockOrdinal] = blockOrdinal + 1 < cut.fullGroup ? [group, blockOrdinal + 1] : [start, 0];
    const own = Object.fromEntries(others.map((time, place) => [place + 1, time]));
    writes.push({
      put: { ...boundariesKey(partition, start), ...own, group, ordinal: blockOrdinal },
      condition: notExists,
    });
    next ??= start;
  }
  if (next !== undefined) {
    boundaries.set('next', next);
    const wait = millisecondsAt(next) + cut.ahead - Date.now();
    writes.push(beginJob(tenant, { type: 'fold', partition, from: last.block, to: next }, { waitMs: wait }));
  }
  // What tells that another writer began them: of several who do at once, the first does.
  const [first] = boundaries.keys();
  writes.push({
    set: boundariesKey(partition, last.block),
    attributes: Object.fromEntries(boundaries),
    condition: { expression: 'attribute_not_exists(#first)', names: { '#first': String(first) } },
  });
  return writes;
}

/** Begins sections whose time has come. One that is not begun now is begun by the next who finds it missing. */
export async function beginSections(
  { tenant, database }: Session,
  beginnings: readonly Beginning[],
): Promise<void> {
  // One by one: what another writer begins at this moment must not keep the others from beginning.
  await Promise.all(
    beginnings.map((beginning) =>
      database.transactOnce(beginningWrites(tenant, beginning), beginning.until - Date.now()),
    ),
  );
}
