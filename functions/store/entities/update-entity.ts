import { isDeepStrictEqual } from 'node:util';
import { now } from '../../runtime/time-and-chance.ts';
import { buildUpdate } from '../model/changes.ts';
import type { WholeEntity } from '../model/entity.ts';
import type { Kind } from '../model/relations.ts';
import { commit } from '../unit-of-work/commit.ts';
import type { Session } from '../unit-of-work/session.ts';
import { requireDateOrder } from './date-order.ts';
import type { ExpectedVersions } from './preconditions.ts';
import { readEntity } from './read-entity.ts';
import { requireReferences } from './references.ts';
import { requireFreeSubject } from './subjects.ts';

/** Which entity to update, and which of its versions. */
export interface UpdateTarget {
  readonly kind: Kind;
  readonly id: string;
  readonly expected?: ExpectedVersions;
}

/**
 * Returns the change that sets fields of an entity; `undefined` when they have these values already.
 * @param nowMs milliseconds since 1970.
 */
export function changeFields(before: WholeEntity, fields: Readonly<Record<string, unknown>>, nowMs: number) {
  const isChanged = Object.entries(fields).some(
    ([field, value]) => !isDeepStrictEqual(before.entity[field], value),
  );
  return isChanged ? buildUpdate(before, fields, nowMs) : undefined;
}

/**
 * Sets fields of an entity. A request that changes nothing writes nothing, so that
 * sending it again leaves the version unchanged.
 * @throws EntityNotFound, VersionMismatch, ReferenceNotFound, ContradictingField, SubjectTaken.
 */
export function updateEntity(
  session: Session,
  { kind, id, expected }: UpdateTarget,
  fields: Readonly<Record<string, unknown>>,
): Promise<WholeEntity> {
  return commit(session, async () => {
    const before = await readEntity(session, kind, id, expected);
    const change = changeFields(before, fields, now());
    if (!change) return { changes: [], result: before };
    requireDateOrder(change);
    await requireReferences(session, change);
    await requireFreeSubject(session, change);
    return { changes: [change], result: change.after };
  });
}
