import { updateEntity } from '../engine/entities/update-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { updateUser } from './contract.ts';

export const handler = endpoint(updateUser, ({ session, id, body, expected }) =>
  updateEntity(session, { kind: 'user', id, expected }, body),
);
