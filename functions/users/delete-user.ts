import { endpoint } from '../http/endpoint.ts';
import { deleteEntity } from '../store/cascades/delete-entity.ts';
import { deleteUser } from './contract.ts';

export const handler = endpoint(deleteUser, ({ session, id, expected }) =>
  deleteEntity(session, 'user', id, expected),
);
