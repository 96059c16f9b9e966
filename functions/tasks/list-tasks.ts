import { endpoint } from '../http/endpoint.ts';
import { listEntities } from '../store/lists/list-entities.ts';
import { listTasks } from './contract.ts';

export const handler = endpoint(listTasks, ({ session, query }) => listEntities(session, 'task', query));
