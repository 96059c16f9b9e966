import { endpoint } from '../http/endpoint.ts';
import { deleteEntity } from '../store/deletions/delete-entity.ts';
import { deleteTask } from './contract.ts';

export const handler = endpoint(deleteTask, ({ session, id, expected }) =>
  deleteEntity(session, 'task', id, expected),
);
