import { endpoint } from '../http/endpoint.ts';
import { readEntity } from '../store/entities/read-entity.ts';
import { readProject } from './contract.ts';

export const handler = endpoint(readProject, ({ session, id }) => readEntity(session, 'project', id));
