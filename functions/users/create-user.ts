import { endpoint } from '../shared/http/endpoint.ts';
import { createEntity } from '../shared/store/entities/create-entity.ts';
import { createUser } from './contract.ts';

export const handler = endpoint(createUser, ({ session, body }) => createEntity(session, 'user', body));
