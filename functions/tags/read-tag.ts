import { readEntity } from '../shared/store/unit-of-work/read-entity.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { readTag } from './contract.ts';

export const handler = endpoint(readTag, ({ session, id }) => readEntity(session, 'tag', id));
