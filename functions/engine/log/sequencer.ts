/**
 * Takes positions. A sequencer that is missing, because the log is new or the item was lost, begins above all that its log can have: below it, records would be
 * taken for old ones, and no list would show them.
 */
import { type LogIdentity, logPartition, positionReached, sequencerKey } from '../model/change-log.ts';
import { ConditionFailed, conditionHolds } from '../model/errors.ts';
import { entryKey } from '../model/registry.ts';
import { notExists } from '../model/writes.ts';
import { countItem, type Database } from '../table/database.ts';

/** Returns a position that a log without a sequencer has not passed. */
async function readFloor(database: Database, log: LogIdentity): Promise<number> {
  // The entry comes before the sequencer: the registry has every log that has one.
  const floor = await database.count(entryKey(log), 0);
  // The manifest and the newest record.
  const { items } = await database.query({
    KeyConditionExpression: 'pk = :log',
    ExpressionAttributeValues: { ':log': logPartition(log.tenant, log.kind) },
    ScanIndexForward: false,
    ConsistentRead: true,
    Limit: 2,
  });
  return Math.max(floor, ...items.map(positionReached));
}

export async function takePosition(database: Database, log: LogIdentity): Promise<number> {
  const key = sequencerKey(log);
  for (;;) {
    try {
      return await database.count(key, 1, { mustExist: true });
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
    const first = (await readFloor(database, log)) + 1;
    // Otherwise another writer has made it.
    if (await conditionHolds(database.putItem(countItem(key, first), notExists))) return first;
  }
}
