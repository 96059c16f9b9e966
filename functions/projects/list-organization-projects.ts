import { endpoint } from '../shared/http/endpoint.ts';
import { listEntities } from '../shared/store/lists/list-entities.ts';
import { listOrganizationProjects } from './contract.ts';

export const handler = endpoint(listOrganizationProjects, ({ session, query }) =>
  listEntities(session, 'project', query),
);
