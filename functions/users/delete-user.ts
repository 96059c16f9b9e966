import { endpoint } from '../http/endpoint.ts';
import { deleteEntity } from '../store/deletions/delete-entity.ts';
import { deleteUser } from './contract.ts';

export const handler = endpoint(deleteUser, ({ session, id, expected }) =>
  deleteEntity(session, 'user', id, expected),
);
