import { createEntity } from '../engine/entities/create-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { createUser } from './contract.ts';

export const handler = endpoint(createUser, ({ session, body }) => createEntity(session, 'user', body));
