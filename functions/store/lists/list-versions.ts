/** The ids and versions that lists have, for comparisons with the entities. */
import { StoreUnavailable } from '../model/errors.ts';
import type { Kind } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';
import { openLogReader } from './engine/dynamodb-storage.ts';
import type { LogMemory } from './engine/process-memory.ts';
import type { IdRange } from './engine/read/id-ranges.ts';
import { type ListedRow, listRows } from './engine/read/list-rows.ts';
import { readState } from './engine/read/read-state.ts';
import { StaleRead } from './engine/read/stale-read.ts';

const maxAttempts = 5;

/**
 * Returns the rows of some ids in their order.
 * @param memory an empty one reads all of the log again.
 * @throws StoreUnavailable when the log changes so often that it cannot be read.
 */
export async function listVersions(
  { tenant, database }: Session,
  kind: Kind,
  { ids, limit }: { readonly ids: readonly IdRange[]; readonly limit: number },
  memory: LogMemory,
): Promise<readonly ListedRow[]> {
  const reader = openLogReader(database, tenant, kind);
  const query = { ids, filters: [], orders: [], countBy: [], isDescending: false, skip: 0, limit };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const nowMs = await database.time();
      const source = { reader, memory, nowMs, settledMs: await database.settledTime() };
      return (await listRows(source, await readState(source), query)).rows;
    } catch (error) {
      if (!(error instanceof StaleRead)) throw error;
      if (attempt === maxAttempts) throw new StoreUnavailable(error);
    }
  }
}
