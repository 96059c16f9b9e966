/**
 * Takes the parts of a counter together again when it is quiet, drops the counts of statuses that nothing has any
 * more, and removes the counters of listings whose parent is gone.
 */

import type { Database } from '../../dynamodb/database.ts';
import { notExists } from '../../model/condition-expressions.ts';
import { ConditionFailed } from '../../model/errors.ts';
import type { Condition, Item, Write } from '../../model/writes.ts';
import {
  type Counter,
  changes,
  counterKey,
  end,
  firstBoundary,
  type Level,
  levels,
  type Numbers,
  numbersOf,
  toCounters,
  toSections,
} from './counters.ts';

/** Nothing was added to the item since it was read. */
const isUnchanged = (item: Item): Condition => ({
  expression: '#changes = :changes',
  names: { '#changes': changes },
  values: { ':changes': item[changes] },
});

/** The writes that make one item of a counter's parts, with the numbers that it should say, or none. */
function foldWrites(
  partition: string,
  level: Level,
  counter: Counter,
  numbers: Numbers | undefined,
): Write[] {
  const { pk, sk } = counterKey(partition, level, counter.start);
  const first = { pk, sk: `${sk}#0` };
  const old = counter.parts.find((part) => part.sk === first.sk);
  const others = counter.parts.filter((part) => part !== old);
  const removals = others.map(
    (part): Write => ({ remove: { pk, sk: part.sk }, condition: isUnchanged(part) }),
  );
  const condition = old ? isUnchanged(old) : notExists;
  if (!numbers) return old ? [...removals, { remove: first, condition }] : removals;
  const times = counter.parts.reduce((sum, part) => sum + Number(part[changes]), 1);
  return [...removals, { put: { ...first, ...numbers, [changes]: times }, condition }];
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

/** The items of a level whose starts lie between two boundaries, both included. */
export async function readItems(
  database: Database,
  partition: string,
  level: Level,
  from: string,
  to: string,
): Promise<Item[]> {
  const items: Item[] = [];
  const query = {
    KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':partition': partition,
      ':first': levels[level] + from,
      ':last': `${levels[level]}${to}#${end}`,
    },
    ConsistentRead: true,
  };
  for await (const page of database.pages(query)) items.push(...page);
  return items;
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
  numbers: Numbers,
): Promise<boolean> => tryToFold(database, foldWrites(partition, level, counter, numbers));

/**
 * Folds the blocks from one boundary up to, but without, another, and their groups. A counter on which there is
 * still something going on stays as it is.
 */
export async function fold(database: Database, partition: string, from: string, to: string): Promise<void> {
  const blocks = await readItems(database, partition, 'block', from, to);
  const groups = toSections(blocks).map(({ group }) => group);
  const [first = firstBoundary, last = firstBoundary] = [groups[0], groups.at(-1)];
  const sealed = toCounters(blocks).filter(({ start }) => start < to);
  const own = toCounters(await readItems(database, partition, 'group', first, last));
  for (const [level, counters] of [
    ['block', sealed],
    ['group', own],
  ] as const) {
    for (const counter of counters.filter((one) => !isFolded(one))) {
      await tryToFold(database, foldWrites(partition, level, counter, counter.numbers));
    }
  }
}

/** Removes the counters of a listing that can hold nothing any more. One that still counts something stays. */
export async function removeCounters(database: Database, partition: string): Promise<void> {
  for (const level of ['block', 'group'] as const) {
    const items = await readItems(database, partition, level, firstBoundary, end);
    for (const counter of toCounters(items)) {
      if (Object.keys(counter.numbers).length > 0) return;
      await tryToFold(database, foldWrites(partition, level, counter, undefined));
    }
  }
  await removeBoundaries(database, partition);
}

/** Removes the boundaries of a listing whose counters are gone: they mean nothing any more. */
async function removeBoundaries(database: Database, partition: string): Promise<void> {
  const items = await readItems(database, partition, 'block', firstBoundary, end);
  if (toCounters(items).length > 0) return;
  for (const { pk, sk } of items) {
    await database.transact([
      {
        remove: { pk, sk },
        condition: { expression: 'attribute_not_exists(#changes)', names: { '#changes': changes } },
      },
    ]);
  }
}
