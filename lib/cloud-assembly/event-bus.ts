/** A bus of EventBridge on this machine: what `PutEvents` accepts, and how it responds. */
import { randomUUID } from 'node:crypto';
import type { PutEventsRequest, PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import type { JsonResponse } from './queue.ts';

/** Entries and bytes of a request, at most. @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html */
const maxEntries = 10;
const maxBytes = 256 * 1_024;

/** Bytes that the time of an entry counts for. */
const timeBytes = 14;

/** An event that the bus has accepted. */
interface BusEvent {
  readonly id: string;
  readonly detail: unknown;
}

interface BusResponse extends JsonResponse {
  readonly events: readonly BusEvent[];
}

type Result = { readonly EventId: string } | { readonly ErrorCode: string; readonly ErrorMessage: string };

const bytesOf = ({ Source = '', DetailType = '', Detail = '', Time }: PutEventsRequestEntry): number =>
  [Source, DetailType, Detail].reduce((sum, text) => sum + Buffer.byteLength(text), Time ? timeBytes : 0);

function detailOf({ Detail = '' }: PutEventsRequestEntry): unknown {
  try {
    return JSON.parse(Detail);
  } catch {
    return undefined;
  }
}

const refused = (message: string): BusResponse => ({
  status: 400,
  body: { __type: 'com.amazon.coral.validate#ValidationException', message },
  events: [],
});

function accept(entry: PutEventsRequestEntry, isRefused: (detail: string) => boolean): Result | BusEvent {
  const { Source, DetailType, Detail = '' } = entry;
  if (isRefused(Detail)) {
    return { ErrorCode: 'InternalFailure', ErrorMessage: 'The event is refused, as a test of its sender.' };
  }
  if (!Source || !DetailType) {
    return { ErrorCode: 'InvalidArgument', ErrorMessage: 'Parameter Source or DetailType is not valid.' };
  }
  const detail = detailOf(entry);
  if (typeof detail !== 'object' || detail === null) {
    return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  }
  return { id: randomUUID(), detail };
}

export const busesOf = ({ Entries = [] }: Partial<PutEventsRequest>): string[] => [
  ...new Set(Entries.map(({ EventBusName = 'default' }) => EventBusName)),
];

/**
 * Handles a `PutEvents` request.
 * @param isRefused says which events are not accepted, by their details.
 */
export function putEvents(
  { Entries = [] }: Partial<PutEventsRequest>,
  isRefused: (detail: string) => boolean = () => false,
): BusResponse {
  if (Entries.length === 0 || Entries.length > maxEntries) {
    return refused(`1 validation error detected: 'entries' must have 1 to ${maxEntries} members.`);
  }
  if (Entries.reduce((sum, entry) => sum + bytesOf(entry), 0) > maxBytes) {
    return refused('Total size of the entries in the request is over the limit.');
  }
  const results = Entries.map((entry) => accept(entry, isRefused));
  const events = results.filter((result) => 'detail' in result);
  return {
    status: 200,
    body: {
      FailedEntryCount: results.length - events.length,
      Entries: results.map((result) => ('detail' in result ? { EventId: result.id } : result)),
    },
    events,
  };
}
