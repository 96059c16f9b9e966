import { readEntity } from '../engine/entities/read-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { readTag } from './contract.ts';

export const handler = endpoint(readTag, ({ session, id }) => readEntity(session, 'tag', id));
