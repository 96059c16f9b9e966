import { decode, entityKey, isId, type Stored } from '../model/entities.ts';
import { EntityNotFound, VersionMismatch } from '../model/errors.ts';
import type { Kind } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';

/** The versions that a caller accepts to act on; none given means any. */
export type Expected = ReadonlySet<number> | undefined;

/**
 * Reads an entity as the last write left it.
 * @throws EntityNotFound, also for what cannot be an id.
 * @throws VersionMismatch when it is none of the expected versions.
 */
export async function readEntity(
  session: Session,
  kind: Kind,
  id: string,
  expected?: Expected,
): Promise<Stored> {
  const item = isId(id) ? await session.database.get(entityKey(session.tenant, kind, id)) : undefined;
  if (!item) throw new EntityNotFound(kind);
  const stored = decode(item);
  if (expected && !expected.has(stored.version)) throw new VersionMismatch(kind);
  return stored;
}
