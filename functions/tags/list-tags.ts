import { endpoint } from '../shared/http/endpoint.ts';
import { listEntities } from '../shared/store/lists/list-entities.ts';
import { listTags } from './contract.ts';

export const handler = endpoint(listTags, ({ session, query }) => listEntities(session, 'tag', query));
