/**
 * Compares the sequencer of each change log with the positions that the log has. In a restored table, the sequencer can be as of an earlier moment. Then
 * it hands out positions that have records, and no change can be written.
 */

import { parseLogPartition, sequencerKey } from '../../functions/engine/model/change-log.ts';
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

/** Sequencers that are read together. */
const maxKeys = 800;

/**
 * Returns the sequencers that are behind. They are read after the positions of the logs, so writes in progress make no difference.
 * @param open returns a database with a deadline of its own.
 */
export async function compareSequencers(
  open: () => Database,
  logs: ReadonlyMap<string, AuditedLog>,
): Promise<SequencerDifference[]> {
  const all = [...logs];
  const found: SequencerDifference[] = [];
  for (let first = 0; first < all.length; first += maxKeys) {
    const some = all.slice(first, first + maxKeys);
    const items = await open().getMany(some.map(([, log]) => sequencerKey(log)));
    const counts = new Map(items.map((item) => [item.pk, countOf(item)]));
    for (const [partition, log] of some) {
      const count = counts.get(sequencerKey(log).pk) ?? 0;
      if (count < log.position) found.push({ log: partition, count, position: log.position });
    }
  }
  return found;
}

export async function raiseSequencer(
  database: Database,
  { log, position }: SequencerDifference,
): Promise<void> {
  const identity = parseLogPartition(log);
  if (identity) await database.raiseCount(sequencerKey(identity), position);
}
