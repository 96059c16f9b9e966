import { endpoint } from '../shared/http/endpoint.ts';
import { listEntities } from '../shared/store/lists/list-entities.ts';
import { listUserTasks } from './contract.ts';

export const handler = endpoint(listUserTasks, ({ session, query }) => listEntities(session, 'task', query));
