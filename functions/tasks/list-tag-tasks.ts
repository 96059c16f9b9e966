import { listEntities } from '../engine/lists/list-entities.ts';
import { endpoint } from '../http/endpoint.ts';
import { listTagTasks } from './contract.ts';

export const handler = endpoint(listTagTasks, ({ session, query }) => listEntities(session, 'task', query));
