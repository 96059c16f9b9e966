import { deleteEntity } from '../engine/deletions/delete-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { deleteProject } from './contract.ts';

export const handler = endpoint(deleteProject, ({ session, id, expected }) =>
  deleteEntity(session, 'project', id, expected),
);
