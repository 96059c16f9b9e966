/** Puts events on the bus of EventBridge. The only file that imports its client, which belongs into the bundle of one function. */
import {
  EventBridgeClient,
  type EventBridgeClientConfig,
  PutEventsCommand,
  type PutEventsRequestEntry,
} from '@aws-sdk/client-eventbridge';
import type { Deadline } from '../engine/table/deadline.ts';
import { forEach } from '../runtime/for-each.ts';
import { lazy } from '../runtime/lazy.ts';
import { requestHandler } from '../runtime/request-handler.ts';
import { busSource, type CloudEvent } from './cloud-events.ts';
import type { SendEvents } from './publish-records.ts';

/** Entries and bytes of one `PutEvents` request, at most. @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html */
export const maxEntries = 10;
export const maxRequestBytes = 256 * 1_024;

/** Bytes that EventBridge counts for the time of an entry. */
const timeBytes = 14;

export const maxAttempts = 3;

/** Where the waits between attempts begin: up to 640 ms and a second. EventBridge limits the requests of a second. */
const firstBackOff = 5;

const concurrency = 4;

interface Entry extends PutEventsRequestEntry {
  readonly Source: string;
  readonly DetailType: string;
  readonly Detail: string;
}

const toEntry = (event: CloudEvent, EventBusName: string): Entry => ({
  EventBusName,
  Source: busSource,
  DetailType: event.type,
  Detail: JSON.stringify(event),
  Time: new Date(event.time),
});

const bytesOf = ({ Source, DetailType, Detail }: Entry): number =>
  timeBytes + [Source, DetailType, Detail].reduce((sum, text) => sum + Buffer.byteLength(text), 0);

interface Pending {
  readonly event: CloudEvent;
  readonly entry: Entry;
}

/** Divides events into requests, in their order. */
export function toRequests(events: readonly CloudEvent[], busName: string): Pending[][] {
  const requests: Pending[][] = [];
  let bytes = 0;
  for (const event of events) {
    const entry = toEntry(event, busName);
    const more = bytesOf(entry);
    const last = requests.at(-1);
    if (last && last.length < maxEntries && bytes + more <= maxRequestBytes) {
      last.push({ event, entry });
      bytes += more;
    } else {
      requests.push([{ event, entry }]);
      bytes = more;
    }
  }
  return requests;
}

/** Returns a client for the region of the environment. `sendTo` repeats what fails. */
export const connectToBus = (settings: EventBridgeClientConfig = {}): EventBridgeClient =>
  new EventBridgeClient({ maxAttempts: 1, requestHandler, ...settings });

const sharedBusClient = lazy(() => connectToBus());

/** Sends a request once. Its response has one result for each entry, by position: some can have failed. */
async function attempt(client: EventBridgeClient, pending: Pending[], deadline: Deadline) {
  try {
    const request = new PutEventsCommand({ Entries: pending.map(({ entry }) => entry) });
    const { Entries = [] } = await deadline.limit((abortSignal) => client.send(request, { abortSignal }));
    const left = pending.filter((_, position) => Entries[position]?.EventId === undefined);
    if (left.length === 0) return { left };
    const failed = Entries.find(({ EventId }) => EventId === undefined);
    return { left, error: new Error(`EventBridge refused an event: ${failed?.ErrorCode ?? 'no result'}.`) };
  } catch (error) {
    return { left: pending, error };
  }
}

interface Sending {
  readonly deadline: Deadline;
  readonly client?: EventBridgeClient;
  readonly attempts?: number;
}

async function sendRequest(
  pending: Pending[],
  { deadline, client = sharedBusClient(), attempts = maxAttempts }: Sending,
) {
  for (let count = 1; ; count += 1) {
    const result = await attempt(client, pending, deadline);
    if (result.left.length === 0 || count >= attempts || !(await deadline.backOff(firstBackOff + count)))
      return result;
    pending = result.left;
  }
}

/**
 * Returns what puts events on a bus, at least once, in the time of a deadline.
 * @param sending.attempts for each event.
 */
export const sendTo =
  (busName: string, sending: Sending): SendEvents =>
  async (events) => {
    const left = new Set<CloudEvent>();
    let error: unknown;
    await forEach(toRequests(events, busName), concurrency, async (pending) => {
      const result = await sendRequest(pending, sending);
      for (const { event } of result.left) left.add(event);
      if (result.left.length > 0) error = result.error;
    });
    return left.size > 0 ? { elements: left, error } : undefined;
  };
