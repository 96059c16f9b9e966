/** Finds the change logs of a table. */

import {
  type LogIdentity,
  parseSequencerKey,
  sequencerKey,
} from '../../functions/engine/model/change-log.ts';
import { countOf } from '../../functions/engine/table/database.ts';
import type { DynamoDb } from '../../functions/engine/table/operations.ts';
import { scanPages } from '../hosting/scan-pages.ts';

interface FoundLog extends LogIdentity {
  /** The greatest position that its sequencer has handed out. */
  readonly head: number;
}

/** Returns the logs that were ever written, of all tenants. It scans the table. */
export async function findLogs(client: DynamoDb, TableName: string): Promise<FoundLog[]> {
  const found: FoundLog[] = [];
  const pages = scanPages(client, {
    TableName,
    FilterExpression: 'sk = :sequencer',
    ExpressionAttributeValues: { ':sequencer': sequencerKey({ tenant: '', kind: 'task' }).sk },
  });
  for await (const { items } of pages) {
    for (const item of items) {
      const log = parseSequencerKey(item);
      if (log) found.push({ ...log, head: countOf(item) });
    }
  }
  return found;
}
