import { listEntities } from '../engine/lists/list-entities.ts';
import { endpoint } from '../http/endpoint.ts';
import { listTags } from './contract.ts';

export const handler = endpoint(listTags, ({ session, query }) => listEntities(session, 'tag', query));
