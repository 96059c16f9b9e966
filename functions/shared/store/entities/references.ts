/** References from entities to others. */
import type { Entity } from '../model/entity.ts';
import { ReferenceNotFound } from '../model/errors.ts';
import { isId } from '../model/ids.ts';
import { entityKey } from '../model/keys.ts';
import { type Kind, referencesOf } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';

interface Reference {
  /** JSON pointer to it in the body. */
  readonly pointer: string;
  readonly kind: Kind;
  readonly id: string;
}

function listReferences(kind: Kind, entity: Entity): Reference[] {
  return referencesOf(kind).flatMap(({ field, parent }): Reference[] => {
    const value = entity[field];
    if (typeof value === 'string') return [{ pointer: `/${field}`, kind: parent, id: value }];
    if (!Array.isArray(value)) return [];
    return value.map((id, position) => ({ pointer: `/${field}/${position}`, kind: parent, id: String(id) }));
  });
}

/**
 * Checks that the entities exist that `after` refers to and `before` did not.
 *
 * They are read just before the write, not checked in its transaction: a condition check would make every two creations under one
 * parent conflict. The job of the parent's deletion sweeps again when no such write can be in progress any more.
 * @throws ReferenceNotFound naming every field that refers to no entity.
 */
export async function requireReferences(
  session: Session,
  kind: Kind,
  after: Entity,
  before?: Entity,
): Promise<void> {
  const keyOf = ({ kind: parent, id }: Reference) => entityKey(session.tenant, parent, id);
  const known = new Set(before ? listReferences(kind, before).map((reference) => keyOf(reference).pk) : []);
  const added = listReferences(kind, after).filter((reference) => !known.has(keyOf(reference).pk));
  if (added.length === 0) return;
  const keys = new Map(added.filter(({ id }) => isId(id)).map((one) => [keyOf(one).pk, keyOf(one)]));
  const found = new Set((await session.database.getMany([...keys.values()])).map(({ pk }) => pk));
  const missing = added.filter((reference) => !found.has(keyOf(reference).pk));
  if (missing.length === 0) return;
  throw new ReferenceNotFound(missing.map(({ pointer, kind: parent }) => ({ pointer, kind: parent })));
}
