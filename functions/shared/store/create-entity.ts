import { creation } from './changes.ts';
import { commit } from './commit.ts';
import type { Fields, Stored } from './entities.ts';
import { requireReferences } from './references.ts';
import type { Kind } from './relations.ts';
import type { Session } from './session.ts';

/**
 * Makes a new entity.
 * @throws ReferenceNotFound when it refers to something that does not exist.
 */
export function createEntity(session: Session, kind: Kind, fields: Fields): Promise<Stored> {
  return commit(session, async () => {
    const change = creation(kind, fields);
    await requireReferences(session, kind, change.after.entity);
    return { changes: [change], result: change.after };
  });
}
