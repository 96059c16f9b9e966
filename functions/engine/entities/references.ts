import type { WholeChange } from '../model/changes.ts';
import type { EntityName, WholeEntity } from '../model/entity.ts';
import { BatchTooLarge, ReferenceNotFound } from '../model/errors.ts';
import { isId } from '../model/ids.ts';
import { entityKey } from '../model/keys.ts';
import { referencesOf } from '../model/relations.ts';
import type { Session } from '../table/session.ts';

/** Different entities to which the changes of one request add references. Each costs a read unit. One entity has 52 references, at most. */
const maxReferences = 400;

interface Reference extends EntityName {
  /** JSON pointer to it in the body. */
  readonly pointer: string;
}

function listReferences({ kind, entity }: WholeEntity): Reference[] {
  return referencesOf(kind).flatMap(({ field, parent }): Reference[] => {
    const value = entity[field];
    if (typeof value === 'string') return [{ pointer: `/${field}`, kind: parent, id: value }];
    if (!Array.isArray(value)) return [];
    return value.map((id, position) => ({ pointer: `/${field}/${position}`, kind: parent, id: String(id) }));
  });
}

/**
 * Returns, for each change, the error that names the references that it adds to entities that do not exist; `undefined` when they all
 * exist, or are created by one of the changes. Each entity is read once, however many changes refer to it.
 *
 * They are read just before the write, not checked in its transaction: a condition check would make every two creations under one
 * parent conflict. The job of the parent's deletion sweeps again when no such write can be in progress any more.
 * @throws BatchTooLarge when there are more than 400, which only a batch can have.
 */
export async function findMissingReferences(
  { tenant, database }: Session,
  changes: readonly WholeChange[],
): Promise<(ReferenceNotFound | undefined)[]> {
  const created = new Set(
    changes.flatMap(({ before, after: { kind, entity } }) =>
      before ? [] : [entityKey(tenant, kind, entity.id).pk],
    ),
  );
  const keyOf = ({ kind, id }: Reference) => entityKey(tenant, kind, id);
  const added = changes.map(({ before, after }) => {
    const known = new Set(before ? listReferences(before).map((reference) => keyOf(reference).pk) : []);
    return listReferences(after).filter((reference) => !known.has(keyOf(reference).pk));
  });
  const isRead = (reference: Reference): boolean => isId(reference.id) && !created.has(keyOf(reference).pk);
  const wanted = added.flat().filter(isRead);
  const keys = new Map(wanted.map((reference) => [keyOf(reference).pk, keyOf(reference)]));
  if (keys.size > maxReferences)
    throw new BatchTooLarge(
      `The operations add references to ${keys.size} different entities; at most ${maxReferences} are allowed. Send fewer operations.`,
    );
  const existing = (await database.getMany([...keys.values()])).map(({ pk }) => pk);
  const found = new Set([...created, ...existing]);
  return added.map((references) => {
    const missing = references.filter((reference) => !found.has(keyOf(reference).pk));
    if (missing.length === 0) return undefined;
    return new ReferenceNotFound(missing.map(({ pointer, kind }) => ({ pointer, kind })));
  });
}
