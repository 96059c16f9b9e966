import { endpoint } from '../http/endpoint.ts';
import { listEntities } from '../store/lists/list-entities.ts';
import { listProjectTasks } from './contract.ts';

export const handler = endpoint(listProjectTasks, ({ session, query }) =>
  listEntities(session, 'task', query),
);
