/**
 * The shape of the one table, as data: CDK builds it, the local service creates it, the store reads and writes it.
 *
 * Entities have a primary key of their own and appear in sparse indexes. An index lists the entities of a partition (all of a
 * kind, or the children of one parent) by creation, or by status and creation. A task has two parents, its project and
 * its user.
 */
export const table = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Seconds since 1970. DynamoDB deletes the item some time later. */
  timeToLive: 'expiresAt',
  indexes: {
    all: { partitionKey: 'ofKind', sortKey: 'id' },
    'all-by-status': { partitionKey: 'ofKind', sortKey: 'byStatus' },
    parent: { partitionKey: 'ofParent', sortKey: 'id' },
    'parent-by-status': { partitionKey: 'ofParent', sortKey: 'byStatus' },
    'other-parent': { partitionKey: 'ofOtherParent', sortKey: 'id' },
    'other-parent-by-status': { partitionKey: 'ofOtherParent', sortKey: 'byStatus' },
  },
} as const;

export type IndexName = keyof typeof table.indexes;

/** Indexes by what their partitions hold: all entities of a kind, or the children of one parent. */
export type IndexFamily = 'all' | 'parent' | 'other-parent';
