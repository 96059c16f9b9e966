import { cascade, deletion } from '../cascades/cascade.ts';
import type { Kind } from '../model/relations.ts';
import { largestTransaction } from '../model/writes.ts';
import { commit, together } from '../unit-of-work/commit.ts';
import type { Session } from '../unit-of-work/session.ts';
import { type Expected, readEntity } from './read-entity.ts';

/** How often the children are tried to be part of the transaction; after that, a lagging index is to blame. */
const triesAtOnce = 3;

/**
 * Removes an entity, with its children in the same transaction when they fit and otherwise right behind it.
 * @throws EntityNotFound, VersionMismatch.
 */
export function deleteEntity(
  session: Session,
  kind: Kind,
  id: string,
  expected?: Expected,
): Promise<undefined> {
  return commit(session, async (attempt) => {
    const stored = await readEntity(session, kind, id, expected);
    const own = deletion(session.tenant, stored);
    const children =
      attempt <= triesAtOnce ? await cascade(session, kind, id, largestTransaction - 2) : undefined;
    if (!children) return { ...own, result: undefined };
    return { ...together([own, ...children]), orElse: own, result: undefined };
  });
}
