import { endpoint } from '../http/endpoint.ts';
import { updateEntity } from '../store/entities/update-entity.ts';
import { updateUser } from './contract.ts';

export const handler = endpoint(updateUser, ({ session, id, body, expected }) =>
  updateEntity(session, { kind: 'user', id, expected }, body),
);
