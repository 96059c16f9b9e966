import { listEntities } from '../engine/lists/list-entities.ts';
import { endpoint } from '../http/endpoint.ts';
import { listOrganizationProjects } from './contract.ts';

export const handler = endpoint(listOrganizationProjects, ({ session, query }) =>
  listEntities(session, 'project', query),
);
