import { listEntities } from '../engine/lists/list-entities.ts';
import { endpoint } from '../http/endpoint.ts';
import { listOrganizationUsers } from './contract.ts';

export const handler = endpoint(listOrganizationUsers, ({ session, query }) =>
  listEntities(session, 'user', query),
);
