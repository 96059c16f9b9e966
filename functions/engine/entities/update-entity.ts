import { isDeepStrictEqual } from 'node:util';
import { now } from '../../runtime/time-and-chance.ts';
import { buildUpdate } from '../model/changes.ts';
import type { EntityName, ExpectedVersions, WholeEntity } from '../model/entity.ts';
import { keptReference, ownersIn } from '../model/relations.ts';
import type { Session } from '../table/session.ts';
import { commit } from '../write/commit.ts';
import { readEntity } from './read-entity.ts';
import { requireValid } from './requirements.ts';
import type { ReadBelow } from './trees.ts';

interface UpdateTarget extends EntityName {
  readonly expected?: ExpectedVersions;
}

/** Returns the fields that end what is kept of references: a caller has changed these, so they do not come back. */
const withoutKept = ({ kind, entity }: WholeEntity, fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    ownersIn(kind)
      .filter(({ field }) => field in fields && fields[field] !== entity[field])
      .map((relation) => keptReference(relation).field)
      .filter((kept) => typeof entity[kept] === 'string')
      .map((kept) => [kept, null]),
  );

/**
 * Returns the change that sets fields of an entity; `undefined` when they have these values already.
 * @param nowMs milliseconds since 1970.
 */
export function changeFields(before: WholeEntity, fields: Readonly<Record<string, unknown>>, nowMs: number) {
  const isChanged = Object.entries(fields).some(
    ([field, value]) => !isDeepStrictEqual(before.entity[field], value),
  );
  return isChanged ? buildUpdate(before, { ...fields, ...withoutKept(before, fields) }, nowMs) : undefined;
}

/**
 * Sets fields of an entity. A request that changes nothing writes nothing, so that sending it again leaves the version unchanged.
 * @param readBelow needed where entities of the kind can be below each other, and the fields can move one.
 * @throws EntityNotFound, VersionMismatch; the errors of `requireValid`.
 */
export const updateEntity = (
  session: Session,
  { kind, id, expected }: UpdateTarget,
  fields: Readonly<Record<string, unknown>>,
  readBelow?: ReadBelow,
): Promise<WholeEntity> =>
  commit(session, async () => {
    const before = await readEntity(session, kind, id, expected);
    const change = changeFields(before, fields, now());
    if (!change) return { changes: [], result: before };
    await requireValid(session, change, readBelow);
    return { changes: [change], result: change.after };
  });
