import { listEntities } from '../engine/lists/list-entities.ts';
import { endpoint } from '../http/endpoint.ts';
import { listProjects } from './contract.ts';

export const handler = endpoint(listProjects, ({ session, query }) =>
  listEntities(session, 'project', query),
);
