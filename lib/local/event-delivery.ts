/**
 * Posts events of changes to an address, at least once, as the event bus delivers them in the cloud. It reads the change logs upwards from its place:
 * a time up to which every event was delivered. The place is in the table, so a service that starts again continues there.
 */
import type { CloudEvent } from '../../functions/jobs/cloud-events.ts';
import { publishItems, type SendEvents } from '../../functions/jobs/publish-records.ts';
import { readDueReminders } from '../../functions/store/cascades/read-jobs.ts';
import { Database } from '../../functions/store/dynamodb/database.ts';
import { Deadline } from '../../functions/store/dynamodb/deadline.ts';
import type { DynamoDb } from '../../functions/store/dynamodb/operations.ts';
import {
  logPartition,
  manifestSortKey,
  stampOf,
  stampPrefix,
} from '../../functions/store/model/change-log.ts';
import { marginMs } from '../../functions/store/model/log-timing.ts';
import { reminderIntervalMs } from '../../functions/store/model/reminder.ts';
import type { Item, Key } from '../../functions/store/model/writes.ts';
import { storedRecords } from '../events/stored-records.ts';

/** Events of one request. */
const maxEvents = 100;

/** Milliseconds that the receiver has for a request, and that one run has. */
const requestMs = 10_000;
const runMs = 60_000;

const mediaType = 'application/cloudevents-batch+json';

/** Posts a batch. @throws Error when the receiver does not accept it. */
async function post(address: string, events: readonly CloudEvent[]): Promise<void> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': `${mediaType}; charset=utf-8` },
    body: JSON.stringify(events),
    redirect: 'error',
    signal: AbortSignal.timeout(requestMs),
  });
  // A connection is free for the next request when the response has been read.
  await response.text();
  if (!response.ok) throw new Error(`it responded with the status ${response.status}`);
}

/** Returns what posts events, in batches. After the first failure, the rest waits. */
const postTo =
  (address: string): SendEvents =>
  async (events) => {
    for (let start = 0; start < events.length; start += maxEvents) {
      try {
        await post(address, events.slice(start, start + maxEvents));
      } catch (error) {
        return { elements: new Set(events.slice(start)), error };
      }
    }
    return undefined;
  };

const textOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error
    ? cause.message || ((cause as NodeJS.ErrnoException).code ?? message)
    : message;
};

export class EventDelivery {
  readonly #client: DynamoDb;
  readonly #tableName: string;
  readonly #address: string;
  readonly #send: SendEvents;
  /** All events up to this stamp were delivered. */
  #place = 0;
  /** Keys of records above the place whose events were delivered, and their stamps. */
  readonly #delivered = new Map<string, number>();
  /** Partitions of the logs that can have records above the place. */
  readonly #logs = new Set<string>();
  #isFailing = false;

  constructor(client: DynamoDb, tableName: string, address: string) {
    this.#client = client;
    this.#tableName = tableName;
    this.#address = address;
    this.#send = postTo(address);
  }

  /** Reads the place, and finds the logs with records above it. Without a place, it begins now. */
  async begin(): Promise<void> {
    const database = this.#database();
    const item = await database.get(this.#placeKey);
    if (typeof item?.['place'] !== 'number') {
      await this.#store(database, await database.time());
      return;
    }
    this.#place = item['place'];
    for await (const items of storedRecords(this.#client, this.#tableName, { fromMs: this.#place + 1 }))
      for (const { pk } of items) this.#logs.add(pk);
  }

  /** Delivers the events of all records above the place that were not delivered. The next run tries again what fails. */
  async run(): Promise<void> {
    const database = this.#database();
    const nowMs = await database.time();
    await this.#addWrittenLogs(database, nowMs);
    for (const partition of this.#logs) {
      const error = await this.#deliverLog(database, partition);
      this.#report(error);
      if (error !== undefined) return;
    }
    await this.#advance(database, nowMs - marginMs);
  }

  /** Adds the logs that were written in the last hours, by any process: a writer makes sure that its log has a reminder before it writes. */
  async #addWrittenLogs(database: Database, nowMs: number): Promise<void> {
    for await (const reminders of readDueReminders(database, nowMs + 2 * reminderIntervalMs))
      for (const { tenant, kind } of reminders) this.#logs.add(logPartition(tenant, kind));
  }

  get #placeKey(): Key {
    return { pk: '#events', sk: this.#address };
  }

  #database(): Database {
    return new Database(this.#client, this.#tableName, new Deadline(runMs));
  }

  async #store(database: Database, place: number): Promise<void> {
    this.#place = place;
    await database.putItem({ ...this.#placeKey, place });
  }

  /** Returns the error when not all events of a log were delivered. */
  async #deliverLog(database: Database, partition: string): Promise<unknown> {
    const pages = database.pages({
      KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':partition': partition,
        ':first': stampPrefix(this.#place + 1),
        ':last': manifestSortKey,
      },
      ConsistentRead: true,
    });
    for await (const { items } of pages) {
      const records = items.filter(
        (item) => item.sk !== manifestSortKey && !this.#delivered.has(textOf(item)),
      );
      const unpublished = await publishItems(records, this.#send);
      this.#remember(records, unpublished?.elements);
      if (unpublished) return unpublished.error;
    }
    return undefined;
  }

  #remember(records: readonly Item[], failed?: ReadonlySet<Item>): void {
    for (const item of records) if (!failed?.has(item)) this.#delivered.set(textOf(item), stampOf(item.sk));
  }

  /**
   * Moves the place to a stamp up to which no record appears any more. An idle service writes nothing: it would find nothing between the old
   * place and the new one.
   */
  async #advance(database: Database, settled: number): Promise<void> {
    const passed = [...this.#delivered].filter(([, stamp]) => stamp <= settled);
    if (passed.length > 0) await this.#store(database, settled);
    else this.#place = Math.max(this.#place, settled);
    for (const [key] of passed) this.#delivered.delete(key);
    this.#logs.clear();
  }

  #report(error: unknown): void {
    const isFailing = error !== undefined;
    if (isFailing && !this.#isFailing) {
      console.error(
        `The events cannot be delivered to ${this.#address}: ${reasonOf(error)}. They are sent again every second.`,
      );
    }
    if (!isFailing && this.#isFailing) console.error('The events are delivered again.');
    this.#isFailing = isFailing;
  }
}
