import { listEntities } from '../engine/lists/list-entities.ts';
import { endpoint } from '../http/endpoint.ts';
import { listUserTasks } from './contract.ts';

export const handler = endpoint(listUserTasks, ({ session, query }) => listEntities(session, 'task', query));
