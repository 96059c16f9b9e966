import { deleteEntity } from '../engine/deletions/delete-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { deleteUser } from './contract.ts';

export const handler = endpoint(deleteUser, ({ session, id, expected }) =>
  deleteEntity(session, 'user', id, expected),
);
