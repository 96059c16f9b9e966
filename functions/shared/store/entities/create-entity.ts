import { creation } from '../model/changes.ts';
import type { Fields, Stored } from '../model/entities.ts';
import type { Kind } from '../model/relations.ts';
import { commit } from '../unit-of-work/commit.ts';
import type { Session } from '../unit-of-work/session.ts';
import { requireReferences } from './references.ts';

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
