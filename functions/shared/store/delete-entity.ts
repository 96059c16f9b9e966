import { cascade, deletion } from './cascade.ts';
import { commit, together } from './commit.ts';
import { type Expected, readEntity } from './read-entity.ts';
import type { Kind } from './relations.ts';
import type { Session } from './session.ts';
import { largestTransaction } from './writes.ts';

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
