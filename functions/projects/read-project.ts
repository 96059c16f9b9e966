import { readEntity } from '../engine/entities/read-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { readProject } from './contract.ts';

export const handler = endpoint(readProject, ({ session, id }) => readEntity(session, 'project', id));
