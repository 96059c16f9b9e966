/** Breaks the cycles of a tree, as the columns of its log and the pending records have it. */
import { readParents } from '../columns/read/read-parents.ts';
import { openSource } from '../columns/read/read-state.ts';
import { StaleRead } from '../columns/read/stale-read.ts';
import { breakCycle, findCycles } from '../entities/cycles.ts';
import { completeUpTo } from '../log/progress.ts';
import { type Relation, settingsInUse } from '../model/schema.ts';
import type { Session } from '../table/session.ts';

/**
 * Breaks the cycles of a tree, and logs each. Returns the position up to which it has seen all moves: behind it, one can be in progress. It is 0 when the log
 * has changed meanwhile: then the next visit looks again.
 */
export async function breakCycles(session: Session, { child: kind, field }: Relation): Promise<number> {
  const found = await readParents(openSource(session, kind), field).catch((error: unknown) => {
    if (!(error instanceof StaleRead)) throw error;
    return undefined;
  });
  if (!found) return 0;
  for (const ids of findCycles(found.parentOf)) {
    const id = await breakCycle(session, kind, ids);
    if (id)
      settingsInUse().logWarning('A cycle of a tree was broken.', {
        tenant: session.tenant,
        kind,
        ids,
        changed: id,
      });
  }
  return completeUpTo(found.progress);
}
