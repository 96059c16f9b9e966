/** Finds the change logs of a table. */

import {
  type LogIdentity,
  parseSequencerKey,
  sequencerKey,
} from '../../functions/engine/model/change-log.ts';
import type { Item } from '../../functions/engine/model/writes.ts';
import { countOf } from '../../functions/engine/table/database.ts';
import { type ScannedTable, scanTable } from '../hosting/scan-table.ts';

/** Returns the logs that were ever written, of all tenants, each with the greatest position that its sequencer has handed out. It scans the table. */
export async function findLogs(table: ScannedTable) {
  const found: (LogIdentity & { readonly head: number })[] = [];
  const visit = (items: readonly Item[]): void => {
    for (const item of items) {
      const log = parseSequencerKey(item);
      if (log) found.push({ ...log, head: countOf(item) });
    }
  };
  await scanTable(table, visit, {
    FilterExpression: 'sk = :sequencer',
    ExpressionAttributeValues: { ':sequencer': sequencerKey({ tenant: '', kind: 'task' }).sk },
  });
  return found;
}
