import { isDeepStrictEqual } from 'node:util';
import { update } from '../model/changes.ts';
import type { Stored } from '../model/entities.ts';
import type { Kind } from '../model/relations.ts';
import { commit } from '../unit-of-work/commit.ts';
import type { Session } from '../unit-of-work/session.ts';
import { type Expected, readEntity } from './read-entity.ts';
import { requireReferences } from './references.ts';

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
