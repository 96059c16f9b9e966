import { readEntity } from '../shared/store/unit-of-work/read-entity.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { readTask } from './contract.ts';

export const handler = endpoint(readTask, ({ session, id }) => readEntity(session, 'task', id));
