/** Publishes events again, from the records of the change logs (docs/operations.md#events-are-not-published). */
import type { Message } from '@aws-sdk/client-sqs';
import { timeAttribute } from '../../functions/engine/model/change-log.ts';
import type { Item, Key } from '../../functions/engine/model/writes.ts';
import { Database } from '../../functions/engine/table/database.ts';
import { Deadline } from '../../functions/engine/table/deadline.ts';
import type { DynamoDb } from '../../functions/engine/table/operations.ts';
import { publishItems, type SendEvents } from '../../functions/jobs/publish-records.ts';
import { type Period, storedRecords } from './stored-records.ts';
import { contentsOf, type UnpublishedMessages } from './unpublished-messages.ts';

/** Milliseconds that reading the records of a message has. */
const readMs = 60_000;

/** Counts of records. */
export interface Republished {
  published: number;
  /** Those of which an event was not accepted. */
  failed: number;
  /** Those that do not exist any more. */
  missing: number;
  /** One of the errors. */
  error?: unknown;
}

const nothing = (): Republished => ({ published: 0, failed: 0, missing: 0 });

interface Place {
  readonly client: DynamoDb;
  readonly table: string;
  readonly send: SendEvents;
  /** Called with the number of items after each page of a scan of the table. A replay of messages that name keys makes no scan. */
  readonly onItems: (count: number) => void;
}

/** Publishes the events of items. Returns whether all were accepted. */
async function publish(items: readonly Item[], send: SendEvents, result: Republished): Promise<boolean> {
  const unpublished = await publishItems(items, send);
  const failed = unpublished?.elements.size ?? 0;
  result.failed += failed;
  result.published += items.length - failed;
  result.error ??= unpublished?.error;
  return failed === 0;
}

/** Publishes the events of all changes of some periods. It reads the whole table. */
export async function republishPeriods(
  { client, table, send, onItems }: Place,
  periods: readonly Period[],
  result = nothing(),
): Promise<Republished> {
  const whole = {
    fromMs: Math.min(...periods.map(({ fromMs }) => fromMs)),
    toMs: Math.max(...periods.map(({ toMs }) => toMs)),
  };
  for await (const items of storedRecords(client, table, whole, onItems)) {
    const isWanted = (item: Item): boolean => {
      const time = item[timeAttribute] as number;
      return periods.some(({ fromMs, toMs }) => time >= fromMs && time <= toMs);
    };
    await publish(items.filter(isWanted), send, result);
  }
  return result;
}

/** Publishes the events of some records. Returns whether all were accepted. */
async function republishRecords(
  { client, table, send }: Place,
  keys: readonly Key[],
  result: Republished,
): Promise<boolean> {
  const items = await new Database(client, table, new Deadline(readMs)).getMany(keys);
  result.missing += keys.length - items.length;
  return publish(items, send, result);
}

/**
 * Publishes what the messages of a queue name, and deletes the messages of which everything was published. The others can be received again at
 * once.
 */
export async function republishQueue(place: Place, queue: UnpublishedMessages): Promise<Republished> {
  const result = nothing();
  const left = new Set<Message>();
  const batches = new Map<Message, Period>();
  const done = async (message: Message): Promise<void> => {
    await queue.delete(message);
    left.delete(message);
  };
  try {
    for await (const message of queue.receive()) {
      left.add(message);
      try {
        const contents = contentsOf(message);
        if ('period' in contents) batches.set(message, contents.period);
        else if (await republishRecords(place, contents.records, result)) await done(message);
      } catch (error) {
        result.error ??= error;
      }
    }
    const { failed } = result;
    if (batches.size > 0) await republishPeriods(place, [...batches.values()], result);
    if (result.failed === failed) for (const message of batches.keys()) await done(message);
  } finally {
    for (const message of left) await queue.giveBack(message);
  }
  return result;
}
