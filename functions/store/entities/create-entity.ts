import { buildCreate } from '../model/changes.ts';
import type { Fields, WholeEntity } from '../model/entity.ts';
import type { Kind } from '../model/relations.ts';
import { commit } from '../unit-of-work/commit.ts';
import type { Session } from '../unit-of-work/session.ts';
import { requireDateOrder } from './date-order.ts';
import { requireReferences } from './references.ts';
import { requireFreeSubject } from './subjects.ts';

/**
 * Creates an entity.
 * @throws ReferenceNotFound when it refers to an entity that does not exist; ContradictingField when it ends before it starts;
 * SubjectTaken.
 */
export function createEntity(session: Session, kind: Kind, fields: Fields): Promise<WholeEntity> {
  return commit(session, async () => {
    const change = buildCreate(kind, fields, await session.database.time());
    requireDateOrder(change);
    await requireReferences(session, change);
    await requireFreeSubject(session, change);
    return { changes: [change], result: change.after };
  });
}
