import { deleteEntity } from '../engine/deletions/delete-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { deleteOrganization } from './contract.ts';

export const handler = endpoint(deleteOrganization, ({ session, id, expected }) =>
  deleteEntity(session, 'organization', id, expected),
);
