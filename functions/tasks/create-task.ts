import { endpoint } from '../http/endpoint.ts';
import { createEntity } from '../store/entities/create-entity.ts';
import { createTask } from './contract.ts';

export const handler = endpoint(createTask, ({ session, body }) => createEntity(session, 'task', body));
