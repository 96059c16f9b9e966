import { endpoint } from '../http/endpoint.ts';
import { readEntity } from '../store/entities/read-entity.ts';
import { readTask } from './contract.ts';

export const handler = endpoint(readTask, ({ session, id }) => readEntity(session, 'task', id));
