/** Publishes what new records of change logs say. The table's stream has only their keys, so they are read. */
import type { Database } from '../engine/table/database.ts';
import '../schema.ts';
import { decodeRecord, parseLogPartition } from '../engine/model/change-log.ts';
import type { Item, Key } from '../engine/model/writes.ts';
import { type CloudEvent, toEvents } from './cloud-events.ts';

export interface Unpublished<Element> {
  readonly elements: ReadonlySet<Element>;
  readonly error: unknown;
}

/**
 * Sends events.
 * @returns those that were not accepted; `undefined` when all were. Does not throw.
 */
export type SendEvents = (events: readonly CloudEvent[]) => Promise<Unpublished<CloudEvent> | undefined>;

const textOf = ({ pk, sk }: Key): string => `${pk} ${sk}`;

/**
 * Sends the events of items of change logs.
 * @returns the items of which an event was not accepted, or that cannot be decoded; `undefined` when there are none.
 */
export async function publishItems(
  items: readonly Item[],
  send: SendEvents,
): Promise<Unpublished<Item> | undefined> {
  const failed = new Set<Item>();
  let error: unknown;
  const events = new Map<CloudEvent, Item>();
  for (const item of items) {
    const log = parseLogPartition(item.pk);
    try {
      for (const event of log ? toEvents(log, decodeRecord(item)) : []) events.set(event, item);
    } catch (reason) {
      // Another version of the service has written it.
      failed.add(item);
      error = reason;
    }
  }
  const unsent = events.size > 0 ? await send([...events.keys()]) : undefined;
  for (const event of unsent?.elements ?? []) {
    const item = events.get(event);
    if (item) failed.add(item);
    error = unsent?.error;
  }
  return failed.size > 0 ? { elements: failed, error } : undefined;
}

/**
 * Reads records, and sends their events. A record that does not exist any more has none.
 * @returns the keys of the records that were not published; `undefined` when all were. Does not throw.
 */
export async function publishRecords(
  database: Pick<Database, 'getMany'>,
  keys: readonly Key[],
  send: SendEvents,
): Promise<Unpublished<Key> | undefined> {
  const distinct = new Map(keys.map((key) => [textOf(key), key]));
  let items: Item[];
  try {
    items = await database.getMany([...distinct.values()]);
  } catch (error) {
    return { elements: new Set(keys), error };
  }
  const unpublished = await publishItems(items, send);
  if (!unpublished) return undefined;
  const failed = new Set([...unpublished.elements].map(textOf));
  return { ...unpublished, elements: new Set(keys.filter((key) => failed.has(textOf(key)))) };
}
