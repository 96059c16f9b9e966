import { now } from '../../runtime/time-and-chance.ts';
import { buildCreate } from '../model/changes.ts';
import type { Fields, WholeEntity } from '../model/entity.ts';
import type { Kind } from '../model/relations.ts';
import { commit } from '../unit-of-work/commit.ts';
import type { Session } from '../unit-of-work/session.ts';
import { requireDateOrder } from './date-order.ts';
import { requireUsableId } from './own-ids.ts';
import { requireReferences } from './references.ts';
import { requireFreeSubject } from './subjects.ts';

/**
 * Creates an entity.
 * @param id that the caller has made; a new one by default.
 * @throws ReferenceNotFound when it refers to an entity that does not exist; ContradictingField when it ends before it starts;
 * SubjectTaken; VersionMismatch when an entity has the id of the caller; UnusableId.
 */
export function createEntity(
  session: Session,
  kind: Kind,
  fields: Fields,
  id?: string,
): Promise<WholeEntity> {
  // A request with an id is a PUT, which can be refused without a write.
  const kinds = id === undefined ? [kind] : [];
  return commit(
    session,
    async () => {
      if (id !== undefined) await requireUsableId(session, kind, id);
      const change = buildCreate(kind, fields, now(), id);
      requireDateOrder(change);
      await requireReferences(session, change);
      await requireFreeSubject(session, change);
      return { changes: [change], result: change.after };
    },
    kinds,
  );
}
