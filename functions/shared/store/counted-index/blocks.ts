/** Which block an id belongs to, and when the next one begins. */
import type { Database } from '../database.ts';
import { beginJob } from '../jobs.ts';
import type { Session } from '../session.ts';
import { mostParts } from '../spread.ts';
import type { Addition, Item } from '../writes.ts';
import {
  blockAddition,
  boundaryAt,
  type Counter,
  cut,
  firstBoundary,
  levels,
  millisecondsAt,
  timeOf,
  toCounters,
} from './counters.ts';

/** Items read at once: a contended block and its neighbours. */
const pageOfItems = 2 * mostParts + 8;

/** When the beginning of a block was written, at the earliest. */
const plannedAt = (start: string): number => millisecondsAt(start) - cut.ahead - cut.grid - cut.planned;

const firstBlock: Counter = toFirstBlock();

function toFirstBlock(): Counter {
  const [counter] = toCounters([
    { pk: '', sk: levels.block + firstBoundary, group: firstBoundary, ordinal: 0 },
  ]);
  if (!counter) throw new TypeError('There is always a first block.');
  return counter;
}

/** The next blocks of a listing, which lie in the future. */
export interface Beginning {
  readonly partition: string;
  readonly blocks: readonly Addition[];
  /** Blocks from the first boundary up to, but without, the second take nothing new when the last has begun. */
  readonly sealed: readonly [from: string, to: string];
  /** When that is, in milliseconds since 1970. */
  readonly sealedAt: number;
  /** A boundary that were written later might not lie in the future any more. */
  readonly until: number;
}

/** The blocks of a listing around some ids. */
export class Blocks {
  readonly #partition: string;
  /** The last first. */
  readonly #blocks: readonly Counter[];

  constructor(partition: string, blocks: readonly Counter[]) {
    this.#partition = partition;
    this.#blocks = blocks;
  }

  /** The block that an id belongs to: it follows from the id alone, because boundaries never move. */
  of(id: string): Counter {
    const time = timeOf(id);
    return this.#blocks.find(({ start }) => start <= time) ?? firstBlock;
  }

  /**
   * Entities that come to be in a millisecond, as far as the counters tell: since the newest block began, or, where
   * that is the future, since it was planned.
   */
  #rate(now: number): number {
    let number = 0;
    for (const [place, { start, count }] of this.#blocks.entries()) {
      const age = now - millisecondsAt(start);
      if (age <= 0) continue;
      number += count.total;
      const following = this.#blocks[place - 1];
      const overflow = following && (count.total - cut.fullBlock) / (now - plannedAt(following.start));
      if (age >= cut.grid) return Math.max(number / age, overflow ?? 0);
    }
    return 0;
  }

  /**
   * The beginning of the next block, when the last will be full before one could begin, and none has. It lies in
   * the future, so that nothing is locked: every entity stamped until then belongs to the last block, and whoever
   * stamps one later reads the new boundary. When many come to be, several begin one after the other.
   */
  next(now: number): Beginning | undefined {
    const last = this.#blocks[0] ?? firstBlock;
    const lastStart = millisecondsAt(last.start);
    const earliest = now + cut.ahead;
    if (lastStart > earliest) return undefined;
    const rate = this.#rate(now);
    const expected = last.count.total + 1 + rate * (earliest - Math.max(now, lastStart));
    if (expected < cut.fullBlock) return undefined;

    const onGrid = (milliseconds: number): number => Math.ceil(milliseconds / cut.grid) * cut.grid;
    const spacing = Math.min(cut.planned, onGrid(cut.fullBlock / rate));
    const times = Array.from(
      { length: Math.ceil(cut.planned / spacing) },
      (_, number) => onGrid(earliest) + number * spacing,
    );
    let place: Pick<Counter, 'group' | 'ordinal'> = last;
    const blocks = times.map((time) => {
      const start = boundaryAt(time);
      const { group, ordinal } = place;
      place = ordinal + 1 < cut.fullGroup ? { group, ordinal: ordinal + 1 } : { group: start, ordinal: 0 };
      return blockAddition(this.#partition, { start, ...place }, {});
    });
    const sealedAt = times.at(-1) ?? earliest;
    return {
      partition: this.#partition,
      blocks,
      sealed: [last.start, boundaryAt(sealedAt)],
      sealedAt,
      until: now + cut.ahead / 3,
    };
  }
}

/**
 * Reads the blocks from the last, or from that of the latest id, down to that of the earliest.
 * @param upTo whether only blocks up to the latest id matter, or also those that have begun since.
 */
export async function readBlocks(
  database: Database,
  partition: string,
  ids: readonly string[],
  upTo: 'latest id' | 'end',
): Promise<Blocks> {
  const times = ids.map(timeOf).sort();
  const earliest = times[0] ?? firstBoundary;
  const latest = upTo === 'end' ? '~' : `${times.at(-1)}#~`;
  const items: Item[] = [];
  const query = {
    KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':partition': partition,
      ':first': levels.block,
      ':last': levels.block + latest,
    },
    ConsistentRead: true,
    ScanIndexForward: false,
    Limit: pageOfItems,
  };
  for await (const page of database.pages(query)) {
    items.push(...page);
    if (toCounters(page).some(({ start }) => start <= earliest)) break;
  }
  return new Blocks(partition, toCounters(items));
}

/**
 * Begins blocks whose time has come, and has those before them tidied up when they are quiet. A block that is not
 * begun now is begun by the next who finds it missing.
 */
export async function beginBlocks(
  { tenant, database }: Session,
  beginnings: readonly Beginning[],
): Promise<void> {
  await Promise.all(
    beginnings.map(async ({ partition, blocks, sealed: [from, to], sealedAt, until }) => {
      const now = Date.now();
      // One job for what is sealed, whoever seals it: of several who begin blocks at once, the first does.
      const job = beginJob(
        tenant,
        { type: 'fold', partition, from, to },
        { wait: sealedAt + cut.ahead - now, id: `fold#${partition}#${from}` },
      );
      // One by one: what another writer begins at this moment must not keep the others from beginning.
      await database.transactOnce([...blocks, job], until - now);
    }),
  );
}
