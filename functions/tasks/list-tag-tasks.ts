import { endpoint } from '../http/endpoint.ts';
import { listEntities } from '../store/lists/list-entities.ts';
import { listTagTasks } from './contract.ts';

export const handler = endpoint(listTagTasks, ({ session, query }) => listEntities(session, 'task', query));
