import { listEntities } from '../engine/lists/list-entities.ts';
import { endpoint } from '../http/endpoint.ts';
import { listProjectTasks } from './contract.ts';

export const handler = endpoint(listProjectTasks, ({ session, query }) =>
  listEntities(session, 'task', query),
);
