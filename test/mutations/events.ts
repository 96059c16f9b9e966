import { toMutations } from './mutation.ts';

/** Mutations of the rules of events. docs/guides/events.md has what they promise. */
export const eventMutations = toMutations({
  'functions/jobs/on-log-records-with-bus.ts': {
    'unpublished-records-forgotten': [
      'records that are neither published nor in the queue are not delivered again',
      'batchItemFailures: left.map(',
      'batchItemFailures: left.slice(left.length).map(',
    ],
    'failing-bus-stops-compaction': [
      'a log is not compacted while the bus fails',
      'await compactLogs(event, context);',
      'if (left.length === 0) await compactLogs(event, context);',
    ],
    'unpublished-keys-not-queued': [
      'the keys of records that were not published go nowhere',
      'await sendToQueue(environment.unpublishedQueueUrl(), { records: keys, failures }, deadline);',
      'deadline.remaining();',
    ],
    'queued-records-delivered-again': [
      'records whose keys are in the queue are delivered again, and hold up the stream',
      'deadline);\n    return [];',
      'deadline);\n    return keys;',
    ],
    'unpublished-keys-lost-at-the-second-failure': [
      'a message of the queue is deleted although the bus and the queue refuse its records',
      "if (left.length > 0) throw new Error('Keys of records",
      "if (left.length < 0) throw new Error('Keys of records",
    ],
    'pause-does-not-grow': [
      'a failing bus is called as often after an hour as after a minute',
      'giveUp(unpublished, failures + 1, context)',
      'giveUp(unpublished, failures, context)',
    ],
    'old-records-tried-as-often': [
      'a bus that does not respond holds up the records of the stream without a limit',
      '.some(isOld) ? 1 : maxAttempts',
      '.some(isOld) ? maxAttempts : maxAttempts',
    ],
  },
  'functions/jobs/publish-records.ts': {
    'all-records-reported': [
      'one record that cannot be published is taken for all of its batch',
      'keys.filter((key) => failed.has(textOf(key)))',
      'keys.filter((key) => failed.has(textOf(key)) || failed.size > 0)',
    ],
  },
  'functions/jobs/event-bus.ts': {
    'refused-entries-taken-for-accepted': [
      'an entry without an id in the response of the bus counts as published',
      'Entries[position]?.EventId === undefined',
      'position >= Entries.length',
    ],
    'accepted-entries-sent-again': [
      'after a partial failure, all entries of the request are sent again',
      'pending = result.left;',
      'pending = result.left.length > 0 ? pending : result.left;',
    ],
    'request-above-the-limit-of-the-bus': [
      'the entries of a request can have more than 256 KB together',
      'bytes + more <= maxRequestBytes',
      'more <= maxRequestBytes',
    ],
  },
  'functions/jobs/cloud-events.ts': {
    'event-above-the-limit-of-the-bus': [
      'an event that is too large is never accepted',
      'Buffer.byteLength(JSON.stringify(event)) <= maxBytes',
      'Buffer.byteLength(JSON.stringify(event)) <= 1_000 * maxBytes',
    ],
    'repeated-event-with-another-id': [
      'the id of an event depends on when it is published',
      'const { id, version } = entry;',
      'const { id } = entry;\n  const version = entry.version + Math.random();',
    ],
    'tenants-with-one-source': [
      'the tenant of a service without tokens has the source of another tenant',
      "tenant.startsWith('@') ?",
      "tenant.startsWith('@') || tenant.length > 1 ?",
    ],
  },
  'lib/local/event-delivery.ts': {
    'place-above-a-hole': [
      'a service that starts again passes a position that had no record yet',
      '[partition, completeUpTo(place)]',
      '[partition, place.position]',
    ],
    'place-above-undelivered-records': [
      'the local service does not send again what was not accepted',
      '!unpublished?.elements.has(item)',
      '!unpublished?.elements.has({ ...item })',
    ],
    'place-not-stored': [
      'a service that starts again repeats all events',
      'if (delivered.length > 0) await this.#store(database);',
      'if (delivered.length < 0) await this.#store(database);',
    ],
    'logs-forgotten-before-they-are-delivered': [
      'the local service forgets a log whose events were not accepted',
      'if (error !== undefined || this.#placeOf',
      'if (this.#placeOf',
    ],
  },
  'examples/webhook/public-address.ts': {
    'one-public-address-suffices': [
      'a webhook reaches a private network by a name with several addresses',
      'addresses.find((address) =>',
      'addresses.slice(0, 1).find((address) =>',
    ],
  },
});
