/**
 * Compares the sequencer of each change log with the positions that the log has. In a restored table, the sequencer can be as of an earlier moment. Then
 * it hands out positions that have records, and no change can be written. A table of an earlier release has no registry of its logs.
 */

import { parseLogPartition, sequencerKey } from '../../functions/engine/model/change-log.ts';
import { entryKey } from '../../functions/engine/model/registry.ts';
import type { Key } from '../../functions/engine/model/writes.ts';
import { countOf, type Database } from '../../functions/engine/table/database.ts';
import type { AuditedLog } from './snapshot.ts';

export interface SequencerDifference {
  /** The partition of the log. */
  readonly log: string;
  /** The greatest position that the sequencer has handed out. */
  readonly count: number;
  /** The greatest position that a record, the columns or an entity have. */
  readonly position: number;
}

/** Logs whose items are read together. */
const maxLogs = 400;

interface LogItems {
  /** Those that are behind. */
  readonly sequencers: readonly SequencerDifference[];
  /** The partitions of the logs that the registry does not have, so the daily visit passes them. */
  readonly unlisted: readonly string[];
}

/**
 * Compares the sequencers of logs and the registry. They are read after the positions of the logs, so writes in progress make no difference.
 * @param open returns a database with a deadline of its own.
 */
export async function compareLogItems(
  open: () => Database,
  logs: ReadonlyMap<string, AuditedLog>,
): Promise<LogItems> {
  const all = [...logs];
  const sequencers: SequencerDifference[] = [];
  const unlisted: string[] = [];
  for (let first = 0; first < all.length; first += maxLogs) {
    const some = all.slice(first, first + maxLogs);
    const items = await open().getMany(some.flatMap(([, log]) => [sequencerKey(log), entryKey(log)]));
    const counts = new Map(items.map((item) => [`${item.pk} ${item.sk}`, countOf(item)]));
    const countAt = ({ pk, sk }: Key) => counts.get(`${pk} ${sk}`);
    for (const [partition, log] of some) {
      const count = countAt(sequencerKey(log)) ?? 0;
      if (count < log.position) sequencers.push({ log: partition, count, position: log.position });
      if (countAt(entryKey(log)) === undefined) unlisted.push(partition);
    }
  }
  return { sequencers, unlisted };
}

/** Adds a log to the registry. */
export async function addEntry(database: Database, log: string): Promise<void> {
  const identity = parseLogPartition(log);
  if (identity) await database.raiseCount(entryKey(identity), 0);
}

export async function raiseSequencer(
  database: Database,
  { log, position }: SequencerDifference,
): Promise<void> {
  const identity = parseLogPartition(log);
  if (identity) await database.raiseCount(sequencerKey(identity), position);
}
