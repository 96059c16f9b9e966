import { listEntities } from '../engine/lists/list-entities.ts';
import { endpoint } from '../http/endpoint.ts';
import { listOrganizations } from './contract.ts';

export const handler = endpoint(listOrganizations, ({ session, query }) =>
  listEntities(session, 'organization', query),
);
