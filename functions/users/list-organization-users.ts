import { endpoint } from '../shared/http/endpoint.ts';
import { listEntities } from '../shared/store/lists/list-entities.ts';
import { listOrganizationUsers } from './contract.ts';

export const handler = endpoint(listOrganizationUsers, ({ session, query }) =>
  listEntities(session, 'user', query),
);
