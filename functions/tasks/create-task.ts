import { createEntity } from '../engine/entities/create-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { createTask } from './contract.ts';

export const handler = endpoint(createTask, ({ session, body }) => createEntity(session, 'task', body));
