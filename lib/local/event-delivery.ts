/**
 * Posts events of changes to an address, at least once, as the event bus delivers them in the cloud. It reads the change logs upwards from its places:
 * how far the events of each log were delivered. They are in the table, so a service that starts again continues there.
 */

import { rangeQuery } from '../../functions/engine/columns/dynamodb-storage.ts';
import { advance, completeUpTo, type Progress, upTo } from '../../functions/engine/log/progress.ts';
import { logPartition, parseLogPartition, positionOf } from '../../functions/engine/model/change-log.ts';
import type { Key } from '../../functions/engine/model/writes.ts';
import type { Database } from '../../functions/engine/table/database.ts';
import type { DynamoDb } from '../../functions/engine/table/operations.ts';
import type { CloudEvent } from '../../functions/jobs/cloud-events.ts';
import { publishItems, type SendEvents } from '../../functions/jobs/publish-records.ts';
import { openTable } from '../hosting/scan-table.ts';
import { findLogs } from './find-logs.ts';
import { reasonOf } from './issuer.ts';

const maxEvents = 100;

/** Milliseconds that the receiver has for a request. */
const requestMs = 10_000;

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

export class EventDelivery {
  readonly #table: { readonly client: DynamoDb; readonly tableName: string };
  readonly #address: string;
  readonly #send: SendEvents;
  /** How far the events of each log were delivered, by its partition. */
  readonly #places = new Map<string, Progress>();
  /** Partitions of the logs that can have records that were not delivered. */
  readonly #logs: Set<string>;
  #isFailing = false;

  /** @param logs partitions of the logs that are written, from now on. */
  constructor(client: DynamoDb, tableName: string, address: string, logs: Set<string>) {
    this.#table = { client, tableName };
    this.#address = address;
    this.#logs = logs;
    this.#send = postTo(address);
  }

  /** Reads the places. Without any, it begins now. */
  async begin(): Promise<void> {
    const database = openTable(this.#table);
    const stored = (await database.get(this.#placesKey))?.['places'] as Record<string, number> | undefined;
    for (const { tenant, kind, head } of await findLogs(this.#table)) {
      const partition = logPartition(tenant, kind);
      this.#places.set(partition, upTo(stored ? (stored[partition] ?? 0) : head));
      if (stored) this.#logs.add(partition);
    }
    if (!stored) await this.#store(database);
  }

  /** Delivers the events of all records that were not delivered. The next run tries again what fails. */
  async run(): Promise<void> {
    const database = openTable(this.#table);
    for (const partition of [...this.#logs]) {
      this.#logs.delete(partition);
      const error = await this.#deliverLog(database, partition).catch((failure: unknown) => failure);
      if (error !== undefined || this.#placeOf(partition).holes.length > 0) this.#logs.add(partition);
      this.#report(error);
      if (error !== undefined) return;
    }
  }

  #placeOf(partition: string): Progress {
    return this.#places.get(partition) ?? upTo(0);
  }

  get #placesKey(): Key {
    return { pk: '#events', sk: this.#address };
  }

  async #store(database: Database): Promise<void> {
    const places = [...this.#places].map(([partition, place]) => [partition, completeUpTo(place)]);
    await database.putItem({ ...this.#placesKey, places: Object.fromEntries(places) });
  }

  /** Returns the error when not all events of a log were delivered. */
  async #deliverLog(database: Database, partition: string): Promise<unknown> {
    const log = parseLogPartition(partition);
    if (!log) return undefined;
    const above = completeUpTo(this.#placeOf(partition));
    for await (const { items } of database.pages(rangeQuery(log.tenant, log.kind, above))) {
      const known = this.#placeOf(partition);
      const free = new Set(known.holes);
      const records = items.filter(({ sk }) => {
        const position = positionOf(sk);
        return position > known.position || free.has(position);
      });
      const unpublished = await publishItems(records, this.#send);
      const delivered = records.filter((item) => !unpublished?.elements.has(item));
      const positions = delivered.map(({ sk }) => positionOf(sk));
      this.#places.set(partition, advance(known, positions));
      if (delivered.length > 0) await this.#store(database);
      if (unpublished) return unpublished.error;
    }
    return undefined;
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
