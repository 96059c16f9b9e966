import { endpoint } from '../shared/http/endpoint.ts';
import { deleteEntity } from '../shared/store/cascades/delete-entity.ts';
import { deleteProject } from './contract.ts';

export const handler = endpoint(deleteProject, ({ session, id, expected }) =>
  deleteEntity(session, 'project', id, expected),
);
