import { endpoint } from '../http/endpoint.ts';
import { listEntities } from '../store/lists/list-entities.ts';
import { listUsers } from './contract.ts';

export const handler = endpoint(listUsers, ({ session, query }) => listEntities(session, 'user', query));
