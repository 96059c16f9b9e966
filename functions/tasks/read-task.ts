import { endpoint } from '../shared/http/endpoint.ts';
import { readEntity } from '../shared/store/entities/read-entity.ts';
import { readTask } from './contract.ts';

export const handler = endpoint(readTask, ({ session, id }) => readEntity(session, 'task', id));
