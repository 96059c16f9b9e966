/**
 * Visits all logs of the registry once a day, so no log depends on a call of the stream, or on what another function had to write: not the compaction of
 * its last records before they expire, not the positions after its sequencer is lost, and not the tasks in a cycle that two moves made at the same time.
 */
import { dayMs, now } from '../../runtime/time-and-chance.ts';
import { maxWaitMs } from '../columns/compact/read-input.ts';
import { openLogReader, rangeQuery } from '../columns/dynamodb-storage.ts';
import { emptyManifest } from '../columns/format/manifest.ts';
import { logMemory } from '../columns/process-memory.ts';
import { type LogIdentity, sequencerKey, timeAttribute } from '../model/change-log.ts';
import {
  beforeEntries,
  entriesAfter,
  entryKey,
  parseEntry,
  registryPartitions,
  type Turn,
  turnKey,
} from '../model/registry.ts';
import { treeOf } from '../model/relations.ts';
import { type Kind, settingsInUse } from '../model/schema.ts';
import { countOf, type Database } from '../table/database.ts';
import type { Session } from '../table/session.ts';
import { breakCycles } from './break-cycles.ts';
import { remindBy } from './reminders.ts';

/** Logs that a run visits, at most: with a run each minute, 288,000 in a day. */
const maxVisits = 200;

const turnMs = dayMs;

/** Milliseconds after which two visits have asked for the compaction of a record. Records live for 7 days or more. */
const maxPendingMs = 2 * maxWaitMs;

interface Visits {
  readonly hasTime: () => boolean;
  /** Visits a log. Must not throw. @param position that it had reached by the last visit. */
  readonly visit: (log: LogIdentity, position: number) => Promise<void>;
}

/** Returns where the turn is; `undefined` until the next one begins. */
async function readTurn(database: Database): Promise<Turn | undefined> {
  // An earlier state only repeats visits.
  const [turn] = (await database.getMany([turnKey], false)) as unknown as Turn[];
  if (turn && turn.partition < registryPartitions) return turn;
  const isOver = Math.abs(now() - (turn?.beganAt ?? 0)) >= turnMs;
  return isOver ? { beganAt: now(), partition: 0, after: beforeEntries } : undefined;
}

/** Visits the logs that follow those of the last run. */
export async function visitLogs(database: Database, { hasTime, visit }: Visits): Promise<void> {
  let turn = await readTurn(database);
  if (!turn) return;
  const save = (state: Turn): Promise<void> => database.putItem({ ...turnKey, ...state });
  for (let left = maxVisits; left > 0 && turn.partition < registryPartitions; ) {
    const query = { ...entriesAfter(turn.partition, turn.after), Limit: left };
    const { items, next } = await database.query(query);
    for (const item of items) {
      if (!hasTime()) return save(turn);
      const log = parseEntry(item);
      turn = { ...turn, after: item.sk };
      // What ends the process, as a tree that exceeds its memory, must not hold up all other logs.
      if (treeOf(log.kind)) await save(turn);
      await visit(log, countOf(item));
      left -= 1;
    }
    if (!next) turn = { ...turn, partition: turn.partition + 1, after: beforeEntries };
  }
  return save(turn);
}

/**
 * Looks at a log: makes the schedule absorb what waits too long. If the log has changed since the last visit, breaks cycles, and notes its position.
 * @param position that it had reached by the last visit.
 * @returns whether it is not compacted although earlier visits have asked for it.
 */
export async function visitLog(database: Database, log: LogIdentity, position: number): Promise<boolean> {
  const { tenant, kind } = log;
  const { watermark } = (await openLogReader(database, tenant, kind).readManifest()) ?? emptyManifest;
  // A replica can tell an earlier position: then the next visit sees what is pending.
  const count = countOf((await database.getMany([sequencerKey(log)], false))[0]);
  const query = { ...rangeQuery(tenant, kind, watermark), Limit: 1 };
  const [oldest] = count > watermark ? (await database.query(query)).items : [];
  const ageMs = oldest ? now() - (oldest[timeAttribute] as number) : 0;
  if (ageMs > maxWaitMs) await remindBy({ tenant, database }, kind, now());
  if (count > position) {
    const tree = treeOf(kind);
    const seen = tree ? await breakCycles({ tenant, database }, tree) : count;
    if (seen > position) await database.raiseCount(entryKey(log), seen);
  }
  if (ageMs <= maxPendingMs) return false;
  settingsInUse().logWarning('A change is not in the columns of lists after four days.', { tenant, kind });
  return true;
}

const registeredName = 'registered';

/** Makes sure that the registry has a log, once in a process: tables of earlier releases have logs without an entry, and an entry can be lost. */
export async function registerLog({ tenant, database }: Session, kind: Kind): Promise<void> {
  const memory = logMemory(database, tenant, kind);
  if (memory.get(registeredName)) return;
  await database.raiseCount(entryKey({ tenant, kind }), 0);
  memory.set(registeredName, true, 0);
}
