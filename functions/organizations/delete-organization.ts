import { endpoint } from '../http/endpoint.ts';
import { deleteEntity } from '../store/deletions/delete-entity.ts';
import { deleteOrganization } from './contract.ts';

export const handler = endpoint(deleteOrganization, ({ session, id, expected }) =>
  deleteEntity(session, 'organization', id, expected),
);
