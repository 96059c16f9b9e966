import type { Fields, WholeEntity } from '../model/entity.ts';
import type { Session } from '../table/session.ts';
import { createEntity } from './create-entity.ts';
import { type UpdateTarget, updateEntity } from './update-entity.ts';

/**
 * Sets all fields of an entity, or creates it when the caller accepts no version of it.
 * @throws the errors of `createEntity` and `updateEntity`.
 */
export const replaceEntity = (
  session: Session,
  target: UpdateTarget,
  fields: Fields,
): Promise<WholeEntity> =>
  target.expected === 'none'
    ? createEntity(session, target.kind, fields, target.id)
    : updateEntity(session, target, fields);
