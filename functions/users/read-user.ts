import { readEntity } from '../shared/store/unit-of-work/read-entity.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { readUser } from './contract.ts';

export const handler = endpoint(readUser, ({ session, id }) => readEntity(session, 'user', id));
