import { endpoint } from '../http/endpoint.ts';
import { listEntities } from '../store/lists/list-entities.ts';
import { listOrganizations } from './contract.ts';

export const handler = endpoint(listOrganizations, ({ session, query }) =>
  listEntities(session, 'organization', query),
);
