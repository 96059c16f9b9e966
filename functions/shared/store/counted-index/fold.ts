/**
 * Takes the parts of a counter together again when it is quiet, drops the counts of statuses that nothing has any
 * more, and removes the counters of listings whose parent is gone.
 */
import type { Database } from '../database.ts';
import { ConditionFailed } from '../errors.ts';
import type { Condition, Item, Write } from '../writes.ts';
import {
  type Counter,
  changes,
  counterKey,
  firstBoundary,
  type Level,
  levels,
  numbersOf,
  toCounters,
} from './counters.ts';

/** Nothing was added to the item since it was read. */
const isUnchanged = (item: Item): Condition => ({
  expression: '#changes = :changes',
  names: { '#changes': changes },
  values: { ':changes': item[changes] },
});

/** The writes that make one item of a counter, or none when it is of no use. */
function foldWrites(partition: string, level: Level, counter: Counter, keep: boolean): Write[] {
  const { pk, sk } = counterKey(partition, level, counter.start);
  const first = { pk, sk: `${sk}#0` };
  const place = level === 'block' ? { group: counter.group, ordinal: counter.ordinal } : {};
  const times = counter.parts.reduce((sum, part) => sum + Number(part[changes]), 1);
  const folded: Item = { ...first, ...place, ...counter.count.numbers(), [changes]: times };
  const old = counter.parts.find((part) => part.sk === first.sk);
  const others = counter.parts.filter((part) => part !== old);
  const removals = others.map(
    (part): Write => ({ remove: { pk, sk: part.sk }, condition: isUnchanged(part) }),
  );
  const condition = old ? isUnchanged(old) : { expression: 'attribute_not_exists(pk)' };
  if (keep) return [...removals, { put: folded, condition }];
  return old ? [...removals, { remove: first, condition }] : removals;
}

const isFolded = ({ parts }: Counter): boolean =>
  parts.length === 1 && parts.flatMap(numbersOf).every(([, number]) => number !== 0);

/** @returns false when someone counted meanwhile. */
async function tryToFold(database: Database, writes: readonly Write[]): Promise<boolean> {
  try {
    await database.transact(writes);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** All counters of a level whose starts lie between two boundaries, both included. */
export async function readCounters(
  database: Database,
  partition: string,
  level: Level,
  from: string,
  to: string,
): Promise<Counter[]> {
  const items: Item[] = [];
  const query = {
    KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':partition': partition,
      ':first': levels[level] + from,
      ':last': `${levels[level]}${to}#~`,
    },
    ConsistentRead: true,
  };
  for await (const page of database.pages(query)) items.push(...page);
  return toCounters(items);
}

/**
 * Makes a counter say what it should, unless it has changed since it was read.
 * @returns whether it was done.
 */
export const correctCounter = (
  database: Database,
  partition: string,
  level: Level,
  counter: Counter,
  count: Counter['count'],
): Promise<boolean> => tryToFold(database, foldWrites(partition, level, { ...counter, count }, true));

/**
 * Folds the blocks from one boundary up to, but without, another, and their groups. A counter on which there is
 * still something going on stays as it is.
 */
export async function fold(database: Database, partition: string, from: string, to: string): Promise<void> {
  const blocks = (await readCounters(database, partition, 'block', from, to)).filter(
    ({ start }) => start < to,
  );
  const [first, last] = [blocks[0]?.group ?? firstBoundary, blocks.at(-1)?.group ?? firstBoundary];
  const groups = await readCounters(database, partition, 'group', first, last);
  for (const [level, counters] of [
    ['block', blocks],
    ['group', groups],
  ] as const) {
    for (const counter of counters.filter((one) => !isFolded(one))) {
      await tryToFold(database, foldWrites(partition, level, counter, true));
    }
  }
}

/** Removes the counters of a listing that can hold nothing any more. One that still counts something stays. */
export async function removeCounters(database: Database, partition: string): Promise<void> {
  for (const level of ['block', 'group'] as const) {
    for (const counter of await readCounters(database, partition, level, firstBoundary, '~')) {
      if (counter.count.isZero) await tryToFold(database, foldWrites(partition, level, counter, false));
    }
  }
}
