import { endpoint } from '../shared/http/endpoint.ts';
import { listEntities } from '../shared/store/lists/list-entities.ts';
import { listUsers } from './contract.ts';

export const handler = endpoint(listUsers, ({ session, query }) => listEntities(session, 'user', query));
