import { endpoint } from '../shared/http/endpoint.ts';
import { createEntity } from '../shared/store/entities/create-entity.ts';
import { createTask } from './contract.ts';

export const handler = endpoint(createTask, ({ session, body }) => createEntity(session, 'task', body));
