import { endpoint } from '../http/endpoint.ts';
import { listEntities } from '../store/lists/list-entities.ts';
import { listOrganizationProjects } from './contract.ts';

export const handler = endpoint(listOrganizationProjects, ({ session, query }) =>
  listEntities(session, 'project', query),
);
