import { endpoint } from '../shared/http/endpoint.ts';
import { readEntity } from '../shared/store/entities/read-entity.ts';
import { readUser } from './contract.ts';

export const handler = endpoint(readUser, ({ session, id }) => readEntity(session, 'user', id));
