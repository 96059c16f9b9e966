/**
 * The shape of the one table, as data: CDK builds it, the local service creates it, the store reads and writes it.
 *
 * Entities have a primary key of their own and appear in sparse indexes: all of a kind by id, which is the order of creation; all of a
 * kind by status and id. An item that has the attribute `ofKind`, but no attribute `id`, is in
 * `by-status` alone: jobs and reminders are.
 */
export const table = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Seconds since 1970. DynamoDB deletes the item some time later. */
  timeToLive: 'expiresAt',
  indexes: {
    'by-creation': { partitionKey: 'ofKind', sortKey: 'id' },
    'by-status': { partitionKey: 'ofKind', sortKey: 'byStatus' },
  },
} as const;

export type IndexName = keyof typeof table.indexes;
