/** Which block an id belongs to, and when the next one begins. */
import type { Database } from '../database.ts';
import { beginJob } from '../jobs.ts';
import type { Session } from '../session.ts';
import { mostParts } from '../spread.ts';
import type { Addition, Item, Write } from '../writes.ts';
import {
  blockAddition,
  boundaryAt,
  type Counter,
  cut,
  firstBoundary,
  levels,
  timeOf,
  toCounters,
} from './counters.ts';

/** Items read at once: a contended block and its neighbours. */
const pageOfItems = 2 * mostParts + 8;

const firstBlock: Counter = toFirstBlock();

function toFirstBlock(): Counter {
  const [counter] = toCounters([
    { pk: '', sk: levels.block + firstBoundary, group: firstBoundary, ordinal: 0 },
  ]);
  if (!counter) throw new TypeError('There is always a first block.');
  return counter;
}

/** The next block of a listing, and the one before it, which nothing is added to any more when it has begun. */
export interface Beginning {
  readonly block: Addition;
  readonly partition: string;
  readonly sealed: Pick<Counter, 'start' | 'group'>;
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
   * The beginning of the next block, when the last is full and none has begun. It lies in the future, so that
   * nothing is locked: every entity stamped until then belongs to the last block, and whoever stamps one later
   * reads the new boundary. It is on a grid, so that those who begin it at once begin the same.
   */
  next(now: number): Beginning | undefined {
    const last = this.#blocks[0] ?? firstBlock;
    if (last.count.total + 1 < cut.fullBlock || last.start > timeOf(boundaryAt(now))) return undefined;
    const start = boundaryAt(Math.ceil((now + cut.ahead) / cut.grid) * cut.grid);
    const isNewGroup = last.ordinal + 1 >= cut.fullGroup;
    const block = isNewGroup
      ? { start, group: start, ordinal: 0 }
      : { start, group: last.group, ordinal: last.ordinal + 1 };
    const partition = this.#partition;
    return { block: blockAddition(partition, block, { total: 0 }), partition, sealed: last };
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
  const transactions = beginnings.map(({ block, partition, sealed: { start, group } }): Write[] => [
    block,
    // One job for the block, whoever begins it: of several who do at once, the first does.
    beginJob(
      tenant,
      { type: 'fold', partition, start, group },
      { wait: 2 * cut.ahead, id: `fold#${partition}#${start}` },
    ),
  ]);
  // One by one: what another writer begins at this moment must not keep the others from beginning.
  await Promise.all(transactions.map((writes) => database.transactOnce(writes, cut.ahead / 3)));
}
