import { endpoint } from '../http/endpoint.ts';
import { listEntities } from '../store/lists/list-entities.ts';
import { listUserTasks } from './contract.ts';

export const handler = endpoint(listUserTasks, ({ session, query }) => listEntities(session, 'task', query));
