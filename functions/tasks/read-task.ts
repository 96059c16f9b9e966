import { readEntity } from '../engine/entities/read-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { readTask } from './contract.ts';

export const handler = endpoint(readTask, ({ session, id }) => readEntity(session, 'task', id));
