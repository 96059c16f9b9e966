/** Breaks the cycles of a tree, as the columns of its log and the pending records have it. */
import { openLogReader } from '../columns/dynamodb-storage.ts';
import { logMemory } from '../columns/process-memory.ts';
import { readParents } from '../columns/read/read-parents.ts';
import { StaleRead } from '../columns/read/stale-read.ts';
import { breakCycle, findCycles } from '../entities/cycles.ts';
import { treeOf } from '../model/relations.ts';
import { type Kind, settingsInUse } from '../model/schema.ts';
import type { Session } from '../table/session.ts';

/** Breaks the cycles of a kind, if it is a tree, and logs each. Returns false when the log has changed meanwhile: then the next visit looks again. */
export async function breakCycles(session: Session, kind: Kind): Promise<boolean> {
  const { tenant, database } = session;
  const tree = treeOf(kind);
  if (!tree) return true;
  const source = {
    reader: openLogReader(database, tenant, kind),
    memory: logMemory(database, tenant, kind),
  };
  const parentOf = await readParents(source, tree.field).catch((error: unknown) => {
    if (!(error instanceof StaleRead)) throw error;
    return undefined;
  });
  if (!parentOf) return false;
  for (const ids of findCycles(parentOf)) {
    const id = await breakCycle(session, kind, ids);
    if (id) settingsInUse().logWarning('A cycle of a tree was broken.', { tenant, kind, ids, changed: id });
  }
  return true;
}
