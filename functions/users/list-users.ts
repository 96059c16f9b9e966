import { listEntities } from '../engine/lists/list-entities.ts';
import { endpoint } from '../http/endpoint.ts';
import { listUsers } from './contract.ts';

export const handler = endpoint(listUsers, ({ session, query }) => listEntities(session, 'user', query));
