import { endpoint } from '../http/endpoint.ts';
import { readEntity } from '../store/entities/read-entity.ts';
import { readTag } from './contract.ts';

export const handler = endpoint(readTag, ({ session, id }) => readEntity(session, 'tag', id));
