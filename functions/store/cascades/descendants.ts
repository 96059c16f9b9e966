/** Everything that the deletion of entities changes, when it is little enough for one transaction. */

import { now } from '../../runtime/time-and-chance.ts';
import type { ChangeSet } from '../model/changes.ts';
import type { Deletion } from '../model/entity.ts';
import { dependentsOf } from '../model/relations.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../unit-of-work/session.ts';
import { readChildren } from './children.ts';
import { deletionOfChild, sweepChild } from './sweep.ts';

/**
 * Returns the change sets of the descendants of some entities of one kind. An entity that refers to several of them has one change:
 * DynamoDB refuses two writes of one item in a transaction.
 * @param deletions by the ids of these entities.
 * @param limit changes of entities.
 * @returns `undefined` when there are more: then they are left to the job.
 */
export async function findDescendants(
  session: Session,
  kind: Kind,
  deletions: ReadonlyMap<string, Deletion>,
  limit: number,
): Promise<ChangeSet[] | undefined> {
  if (deletions.size === 0) return [];
  const found: ChangeSet[] = [];
  const { tenant, actor } = session;
  const step = { tenant, actor, nowMs: now() };
  const parents = { deletions, includesDescendants: true };
  const ids = [...deletions.keys()];
  for (const relation of dependentsOf(kind)) {
    const left = limit - found.length;
    const { children, total } = await readChildren(session, relation, ids, { limit: left, maxTotal: left });
    if (total > left) return undefined;
    found.push(...children.map((child) => sweepChild(step, relation, child, parents)));
    if (relation.onDelete === 'setNull') continue;
    const ofChildren = new Map(
      children.map((child) => [child.entity.id, deletionOfChild(relation, child, deletions)]),
    );
    const descendants = await findDescendants(session, relation.child, ofChildren, limit - found.length);
    if (!descendants) return undefined;
    found.push(...descendants);
  }
  return found;
}
