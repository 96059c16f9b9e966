/** Everything that the deletion of an entity changes, when it is little enough for one transaction. */

import type { ChangeSet } from '../model/changes.ts';
import type { StoredEntity } from '../model/entity.ts';
import { dependentsOf, type Kind, type Relation } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';
import { readDependents } from './dependents.ts';
import { sweepChild } from './sweep.ts';

/** A child of the entity `parentId`. */
interface Child {
  readonly relation: Relation;
  readonly child: StoredEntity;
  readonly parentId: string;
}

/** Returns the change sets of one child and its descendants; `undefined` when there are more than `limit`. */
async function findOfChild(
  session: Session,
  { relation, child, parentId }: Child,
  limit: number,
): Promise<ChangeSet[] | undefined> {
  if (limit < 1) return undefined;
  const own = sweepChild(session.tenant, relation, child, parentId);
  if (relation.onDelete === 'setNull') return [own];
  const descendants = await findDescendants(session, child.kind, child.entity.id, limit - 1);
  return descendants && [own, ...descendants];
}

/**
 * Returns the change sets of an entity's descendants.
 * @param limit changes of entities.
 * @returns `undefined` when there are more, or more than one page of the index: then they are left to the job.
 */
export async function findDescendants(
  session: Session,
  kind: Kind,
  id: string,
  limit: number,
): Promise<ChangeSet[] | undefined> {
  const found: ChangeSet[] = [];
  for (const relation of dependentsOf(kind)) {
    const { children, next } = await readDependents(session, relation, id, { limit: limit + 1 });
    if (next || children.length > limit) return undefined;
    for (const child of children) {
      const more = await findOfChild(session, { relation, child, parentId: id }, limit - found.length);
      if (!more || found.length + more.length > limit) return undefined;
      found.push(...more);
    }
  }
  return found;
}
