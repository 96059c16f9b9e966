import { deleteEntity } from '../engine/deletions/delete-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { deleteTask } from './contract.ts';

export const handler = endpoint(deleteTask, ({ session, id, expected }) =>
  deleteEntity(session, 'task', id, expected),
);
