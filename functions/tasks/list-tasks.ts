import { endpoint } from '../shared/http/endpoint.ts';
import { listEntities } from '../shared/store/lists/list-entities.ts';
import { listTasks } from './contract.ts';

export const handler = endpoint(listTasks, ({ session, query }) => listEntities(session, 'task', query));
