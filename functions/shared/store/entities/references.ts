import { type Entity, entityKey, isId } from '../model/entities.ts';
import { ReferenceNotFound } from '../model/errors.ts';
import { type Kind, referencesOf } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';

interface Reference {
  readonly pointer: string;
  readonly kind: Kind;
  readonly id: string;
}

function references(kind: Kind, entity: Readonly<Record<string, unknown>>): Reference[] {
  return referencesOf(kind).flatMap(({ member, parent }): Reference[] => {
    const value = entity[member];
    if (typeof value === 'string') return [{ pointer: `/${member}`, kind: parent, id: value }];
    if (!Array.isArray(value)) return [];
    return value.map((id, position) => ({ pointer: `/${member}/${position}`, kind: parent, id: String(id) }));
  });
}

/**
 * Sees that what `after` refers to, and `before` did not, exists.
 *
 * It is read just before the write, not checked inside it: a check would make every create under one parent
 * conflict with every other. Who deletes the parent sweeps again when no such write can be under way any more.
 * @throws ReferenceNotFound naming every member that refers to nothing.
 */
export async function requireReferences(
  session: Session,
  kind: Kind,
  after: Entity,
  before?: Entity,
): Promise<void> {
  const known = new Set(
    before ? references(kind, before).map(({ kind: parent, id }) => `${parent}#${id}`) : [],
  );
  const wanted = references(kind, after).filter(({ kind: parent, id }) => !known.has(`${parent}#${id}`));
  if (wanted.length === 0) return;
  const possible = new Map(
    wanted
      .filter(({ id }) => isId(id))
      .map((reference) => entityKey(session.tenant, reference.kind, reference.id))
      .map((key) => [key.pk, key]),
  );
  const found = new Set((await session.database.getMany([...possible.values()])).map(({ pk }) => pk));
  const missing = wanted.filter(
    ({ kind: parent, id }) => !found.has(entityKey(session.tenant, parent, id).pk),
  );
  if (missing.length > 0)
    throw new ReferenceNotFound(missing.map(({ pointer, kind: parent }) => ({ pointer, kind: parent })));
}
