import { listEntities } from '../engine/lists/list-entities.ts';
import { endpoint } from '../http/endpoint.ts';
import { listTasks } from './contract.ts';

export const handler = endpoint(listTasks, ({ session, query }) => listEntities(session, 'task', query));
