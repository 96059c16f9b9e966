/**
 * The shape of the one table, as data: CDK builds it, the local set-up creates it, the store reads and writes it.
 *
 * Entities have a key of their own and appear in sparse indexes. An index lists entities by creation (their
 * time-ordered id), by status and then creation, or by name, within a partition: all of a kind, or all that
 * share a parent. A task has two parents, its project and its user.
 */
export const table = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Seconds since 1970; DynamoDB removes the item some time after. */
  timeToLive: 'expiresAt',
  indexes: {
    all: { partitionKey: 'ofKind', sortKey: 'id' },
    'all-by-status': { partitionKey: 'ofKind', sortKey: 'byStatus' },
    'all-by-name': { partitionKey: 'ofKind', sortKey: 'byName' },
    parent: { partitionKey: 'ofParent', sortKey: 'id' },
    'parent-by-status': { partitionKey: 'ofParent', sortKey: 'byStatus' },
    'other-parent': { partitionKey: 'ofOtherParent', sortKey: 'id' },
    'other-parent-by-status': { partitionKey: 'ofOtherParent', sortKey: 'byStatus' },
  },
} as const;

export type IndexName = keyof typeof table.indexes;

/** Indexes by the partition that they list: all of a kind, or the children of a parent. */
export type IndexFamily = 'all' | 'parent' | 'other-parent';
