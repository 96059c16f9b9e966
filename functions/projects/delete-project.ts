import { endpoint } from '../http/endpoint.ts';
import { deleteEntity } from '../store/deletions/delete-entity.ts';
import { deleteProject } from './contract.ts';

export const handler = endpoint(deleteProject, ({ session, id, expected }) =>
  deleteEntity(session, 'project', id, expected),
);
