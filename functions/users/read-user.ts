import { endpoint } from '../http/endpoint.ts';
import { readEntity } from '../store/entities/read-entity.ts';
import { readUser } from './contract.ts';

export const handler = endpoint(readUser, ({ session, id }) => readEntity(session, 'user', id));
