import { endpoint } from '../http/endpoint.ts';
import { listEntities } from '../store/lists/list-entities.ts';
import { listTags } from './contract.ts';

export const handler = endpoint(listTags, ({ session, query }) => listEntities(session, 'tag', query));
