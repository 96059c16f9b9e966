import { toMutations } from './mutation.ts';

/** Mutations of the rules of events. docs/guides/events.md has what they promise. */
export const eventMutations = toMutations({
  'functions/jobs/on-log-records-with-bus.ts': {
    'unpublished-records-forgotten': [
      'batchItemFailures: left.map(',
      'batchItemFailures: left.slice(left.length).map(',
    ],
    'failing-bus-stops-compaction': [
      'await compactLogs(event.Records, context);',
      'if (left.length === 0) await compactLogs(event.Records, context);',
    ],
    'unpublished-keys-not-queued': [
      'await sendToQueue(environment.unpublishedQueueUrl(), { records: keys }, deadline);',
      'deadline.remaining();',
    ],
    'queued-records-delivered-again': ['deadline);\n    return [];', 'deadline);\n    return keys;'],
    'unpublished-keys-lost-at-the-second-failure': [
      'context)).length > 0) batchItemFailures',
      'context)).length < 0) batchItemFailures',
    ],
    'queue-that-its-function-fills': [
      'if ((await publish(records, maxAttempts, context)).length > 0) batchItemFailures',
      'if ((await giveUp(await publish(records, maxAttempts, context), context)).length > 0) batchItemFailures',
    ],
    'queued-records-tried-once': ['publish(records, maxAttempts, context)', 'publish(records, 1, context)'],
    'old-records-tried-as-often': [
      '.some(isOld) ? 1 : maxAttempts',
      '.some(isOld) ? maxAttempts : maxAttempts',
    ],
  },
  'functions/jobs/publish-records.ts': {
    'all-records-reported': [
      'keys.filter((key) => failed.has(textOf(key)))',
      'keys.filter((key) => failed.has(textOf(key)) || failed.size > 0)',
    ],
  },
  'functions/jobs/event-bus.ts': {
    'refused-entries-taken-for-accepted': [
      'Entries[position]?.EventId === undefined',
      'position >= Entries.length',
    ],
    'accepted-entries-sent-again': [
      'pending = result.left;',
      'pending = result.left.length > 0 ? pending : result.left;',
    ],
    'request-above-the-limit-of-the-bus': ['bytes + more <= maxRequestBytes', 'more <= maxRequestBytes'],
  },
  'functions/jobs/cloud-events.ts': {
    'event-above-the-limit-of-the-bus': [
      'Buffer.byteLength(JSON.stringify(event)) <= maxBytes',
      'Buffer.byteLength(JSON.stringify(event)) <= 1_000 * maxBytes',
    ],
    'repeated-event-with-another-id': [
      'const { id, version } = entry;',
      'const { id } = entry;\n  const version = entry.version + Math.random();',
    ],
    'tenants-with-one-source': ["tenant.startsWith('@') ?", "tenant.startsWith('@') || tenant.length > 1 ?"],
  },
  'lib/infrastructure/jobs.ts': {
    'reported-messages-deleted': [
      '    maxConcurrency: 2,\n    reportBatchItemFailures: true,\n',
      '    maxConcurrency: 2,\n',
    ],
    'visibility-timeout-below-the-advice': ['6 * jobTimeoutMs', '5 * jobTimeoutMs'],
  },
  'lib/infrastructure/alarmed-symptoms.ts': {
    'messages-between-two-attempts-unnoticed': [
      'unpublishedEvents.metricApproximateNumberOfMessagesNotVisible(',
      'unpublishedEvents.metricApproximateNumberOfMessagesDelayed(',
    ],
  },
  'lib/cloud-assembly/queue.ts': {
    'chain-without-an-end': ['calls >= maxCalls', 'calls >= 2 * maxCalls'],
    'reported-messages-not-repeated': [
      '!!types && batchItemFailures.length > 0',
      '!types && batchItemFailures.length > 0',
    ],
  },
  'lib/local/event-delivery.ts': {
    'place-above-a-hole': ['[partition, completeUpTo(place)]', '[partition, place.position]'],
    'place-above-undelivered-records': [
      '!unpublished?.elements.has(item)',
      '!unpublished?.elements.has({ ...item })',
    ],
    'place-not-stored': [
      'if (delivered.length > 0) await this.#store(database);',
      'if (delivered.length < 0) await this.#store(database);',
    ],
    'logs-forgotten-before-they-are-delivered': [
      'if (error !== undefined || this.#placeOf',
      'if (this.#placeOf',
    ],
  },
  'examples/webhook/public-address.ts': {
    'one-public-address-suffices': ['addresses.find((address) =>', 'addresses.slice(0, 1).find((address) =>'],
  },
});
