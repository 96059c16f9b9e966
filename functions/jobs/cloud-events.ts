/**
 * Events for other systems: one for each change of an entity, made from the record that its transaction wrote. The JSON Schema of each type is in
 * `lib/openapi/event-schemas.ts`.
 * @see https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md
 */

import {
  type ChangeOperation,
  describeChange,
  type FieldChange,
  isVisible,
} from '../engine/feed/describe-change.ts';
import type { LogIdentity, LogRecord } from '../engine/model/change-log.ts';

/** The last part of a type of events, by operation. */
export const eventNames = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  restore: 'restored',
} as const satisfies Record<ChangeOperation, string>;

export type EventType = `${string}.${(typeof eventNames)[ChangeOperation]}`;

interface EventData {
  /** The version that the change made: an event is newer than those of the same subject with smaller versions. */
  readonly version: number;
  /** The subject of the token whose request made the change; absent where requests need no token. */
  readonly actor?: string;
  /** The fields that changed. Absent if the event would exceed the limit of the bus: then `isCut` is true. */
  readonly changes?: Readonly<Record<string, FieldChange>>;
  readonly isCut?: true;
}

export interface CloudEvent {
  readonly specversion: '1.0';
  /** The entity's id and the version: the same whenever the event is delivered again. */
  readonly id: string;
  readonly type: EventType;
  /** The tenant, as a URI reference. */
  readonly source: string;
  readonly subject: string;
  /** When the change was made, RFC 3339. */
  readonly time: string;
  /**
   * The position of the change in the log of its kind, of one length: events of one `source` and kind have the order of their sequences.
   * @see https://github.com/cloudevents/spec/blob/main/cloudevents/extensions/sequence.md
   */
  readonly sequence: string;
  readonly datacontenttype: 'application/json';
  readonly data: EventData;
}

/** The source of all events on the bus, beside that of each event. Rules and the archive select by it. */
export const busSource = 'project-management';

/**
 * Returns the source of a tenant's events. A tenant that a token names begins with `@` in keys, and is percent-encoded there. No path has the
 * tenant of a service without tokens.
 */
export const sourceOf = (tenant: string): string =>
  tenant.startsWith('@') ? `/tenants/${tenant.slice(1)}` : `/${encodeURIComponent(tenant)}`;

/** Bytes of an event as JSON, at most: what EventBridge accepts of an entry (256 KB), less its other fields. */
const maxEventBytes = 255_000;

/**
 * Returns an event that is not larger than a limit: one that is leaves out its changed fields. Today's fields have at most 10 KB.
 * @param maxBytes in UTF-8.
 */
export function fitEvent(event: CloudEvent, maxBytes = maxEventBytes): CloudEvent {
  if (Buffer.byteLength(JSON.stringify(event)) <= maxBytes) return event;
  const { changes: _, ...data } = event.data;
  return { ...event, data: { ...data, isCut: true } };
}

const sequenceDigits = 15;

function toEvent(
  { tenant, kind }: LogIdentity,
  { position, time, actor }: LogRecord,
  entry: LogRecord['entries'][number],
) {
  const { id, version } = entry;
  const { operation, changes } = describeChange(kind, entry);
  return fitEvent({
    specversion: '1.0',
    // An app can give one id to entities of several kinds.
    id: `${kind}:${id}:${version}`,
    type: `${kind}.${eventNames[operation]}`,
    source: sourceOf(tenant),
    subject: id,
    time: new Date(time).toISOString(),
    sequence: String(position).padStart(sequenceDigits, '0'),
    datacontenttype: 'application/json',
    data: { version, ...(actor !== undefined && { actor }), changes },
  });
}

/** Returns the events of a record of a log: one for each entity that its transaction changed, but for what stays deleted. */
export const toEvents = (log: LogIdentity, record: LogRecord): CloudEvent[] =>
  record.entries.filter(isVisible).map((entry) => toEvent(log, record, entry));
