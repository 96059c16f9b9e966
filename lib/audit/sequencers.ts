/**
 * Compares the sequencer of each change log with the positions that the log has. In a restored table, the sequencer can be as of an earlier moment. Then
 * it hands out positions that have records, and no change can be written. The counter of numbers would give numbers twice. A table of an earlier release has no
 * registry of its logs.
 */

import { beginAbove, numbersKey } from '../../functions/engine/entities/numbers.ts';
import {
  type LogIdentity,
  parseLogPartition,
  sequencerKey,
} from '../../functions/engine/model/change-log.ts';
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

export interface CounterDifference {
  /** The partition of the log. */
  readonly log: string;
  /** The greatest number that the counter has given; 0 when it is lost. */
  readonly count: number;
  /** The greatest number that an entity has. */
  readonly number: number;
}

/** Logs whose items are read together. */
const maxLogs = 400;

interface LogItems {
  /** Those that are behind. */
  readonly sequencers: readonly SequencerDifference[];
  readonly counters: readonly CounterDifference[];
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
  const counters: CounterDifference[] = [];
  const unlisted: string[] = [];
  for (let first = 0; first < all.length; first += maxLogs) {
    const some = all.slice(first, first + maxLogs);
    const items = await open().getMany(
      some.flatMap(([, log]) => [sequencerKey(log), numbersKey(log), entryKey(log)]),
    );
    const counts = new Map(items.map((item) => [`${item.pk} ${item.sk}`, countOf(item)]));
    const countAt = ({ pk, sk }: Key) => counts.get(`${pk} ${sk}`);
    for (const [partition, log] of some) {
      const count = countAt(sequencerKey(log)) ?? 0;
      if (count < log.position) sequencers.push({ log: partition, count, position: log.position });
      const given = countAt(numbersKey(log)) ?? 0;
      if (given < log.number) counters.push({ log: partition, count: given, number: log.number });
      if (countAt(entryKey(log)) === undefined) unlisted.push(partition);
    }
  }
  return { sequencers, counters, unlisted };
}

/** Adds logs to the registry, and raises sequencers and counters: the next number of a log is above those of its entities. */
export async function raiseLogItems(
  open: () => Database,
  { sequencers, counters, unlisted }: LogItems,
): Promise<void> {
  const raise = async (log: string, keyOf: (identity: LogIdentity) => Key, count: number): Promise<void> => {
    const identity = parseLogPartition(log);
    if (identity) await open().raiseCount(keyOf(identity), count);
  };
  for (const log of unlisted) await raise(log, entryKey, 0);
  for (const { log, position } of sequencers) await raise(log, sequencerKey, position);
  for (const { log, number } of counters) await raise(log, numbersKey, beginAbove(number));
}
