/** Everything that the deletion of entities changes, when it is little enough for one transaction. */

import type { ChangeSet } from '../model/changes.ts';
import { dependentsOf, type Kind } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';
import { readChildren } from './children.ts';
import { sweepChild } from './sweep.ts';

/**
 * Returns the change sets of the descendants of some entities of one kind. An entity that refers to several of them has one change:
 * DynamoDB refuses two writes of one item in a transaction.
 * @param limit changes of entities.
 * @returns `undefined` when there are more: then they are left to the job.
 */
export async function findDescendants(
  session: Session,
  kind: Kind,
  ids: readonly string[],
  limit: number,
): Promise<ChangeSet[] | undefined> {
  if (ids.length === 0) return [];
  const found: ChangeSet[] = [];
  const deletion = { tenant: session.tenant, nowMs: await session.database.time() };
  const parents = { ids, includesDescendants: true };
  for (const relation of dependentsOf(kind)) {
    const left = limit - found.length;
    const { children, total } = await readChildren(session, relation, ids, { limit: left + 1 });
    if (total > left) return undefined;
    found.push(...children.map((child) => sweepChild(deletion, relation, child, parents)));
    if (relation.onDelete === 'setNull') continue;
    const childIds = children.map(({ entity }) => entity.id);
    const descendants = await findDescendants(session, relation.child, childIds, limit - found.length);
    if (!descendants) return undefined;
    found.push(...descendants);
  }
  return found;
}
