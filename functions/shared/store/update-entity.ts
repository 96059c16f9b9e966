import { isDeepStrictEqual } from 'node:util';
import { update } from './changes.ts';
import { commit } from './commit.ts';
import type { Stored } from './entities.ts';
import { type Expected, readEntity } from './read-entity.ts';
import { requireReferences } from './references.ts';
import type { Kind } from './relations.ts';
import type { Session } from './session.ts';

/**
 * Gives members of an entity other values: all of them to replace it, some to update it. What changes nothing
 * writes nothing, so that a repeated request leaves the same version behind.
 * @throws EntityNotFound, VersionMismatch, ReferenceNotFound.
 */
export function updateEntity(
  session: Session,
  kind: Kind,
  id: string,
  members: Readonly<Record<string, unknown>>,
  expected?: Expected,
): Promise<Stored> {
  return commit(session, async () => {
    const before = await readEntity(session, kind, id, expected);
    const changed = Object.entries(members).some(
      ([member, value]) => !isDeepStrictEqual(before.entity[member], value),
    );
    if (!changed) return { changes: [], result: before };
    const change = update(before, members);
    await requireReferences(session, kind, change.after.entity, before.entity);
    return { changes: [change], result: change.after };
  });
}
