import { readEntity } from '../engine/entities/read-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { readUser } from './contract.ts';

export const handler = endpoint(readUser, ({ session, id }) => readEntity(session, 'user', id));
