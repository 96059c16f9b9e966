/**
 * The registry of logs: an entry for each log that has a sequencer. The schedule visits all of them. Its keys do not begin with the tenant, so that it can be
 * read without a scan of the table: docs/decisions/0023-a-shared-log.md. The count of an entry is a position that its log had reached.
 */
import type { LogIdentity } from './change-log.ts';
import { partitionNumber } from './index-partitions.ts';
import type { Item, Key } from './writes.ts';

/** Number of partitions: each takes 1,000 new logs a second. */
export const registryPartitions = 16;

/** The beginning of the partition keys. No tenant begins with "#". Only the role of the schedule may read keys with this beginning. */
export const registryPrefix = '#logs#';

export const entryKey = ({ tenant, kind }: LogIdentity): Key => ({
  pk: registryPrefix + partitionNumber(`${tenant}#${kind}`, registryPartitions),
  sk: `${kind}#${tenant}`,
});

export function parseEntry({ sk }: Pick<Item, 'sk'>): LogIdentity {
  const [kind = '', tenant = ''] = sk.split('#');
  return { tenant, kind };
}

/** Returns the query for the entries of a partition. @param partition from 0. @param after begins after the entry with this sort key. */
export const entriesAfter = (partition: number, after: string) =>
  ({
    KeyConditionExpression: 'pk = :partition AND sk > :after',
    ExpressionAttributeValues: { ':partition': `${registryPrefix}${partition}`, ':after': after },
  }) as const;

/** Where the daily visit of all logs is. It is not in the partitions of the entries. */
export interface Turn {
  /** Milliseconds since 1970. */
  readonly beganAt: number;
  readonly partition: number;
  /** The sort key of the entry that was visited last. */
  readonly after: string;
}

/** Sorts before the entries of a partition: names of kinds begin with letters. A key cannot be empty. */
export const beforeEntries = '#';

export const turnKey: Key = { pk: `${registryPrefix}turn`, sk: 'turn' };
