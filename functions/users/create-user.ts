import { endpoint } from '../http/endpoint.ts';
import { createEntity } from '../store/entities/create-entity.ts';
import { createUser } from './contract.ts';

export const handler = endpoint(createUser, ({ session, body }) => createEntity(session, 'user', body));
