import { endpoint } from '../http/endpoint.ts';
import { listEntities } from '../store/lists/list-entities.ts';
import { listOrganizationUsers } from './contract.ts';

export const handler = endpoint(listOrganizationUsers, ({ session, query }) =>
  listEntities(session, 'user', query),
);
