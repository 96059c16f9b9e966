import { endpoint } from '../http/endpoint.ts';
import { listEntities } from '../store/lists/list-entities.ts';
import { listProjects } from './contract.ts';

export const handler = endpoint(listProjects, ({ session, query }) =>
  listEntities(session, 'project', query),
);
