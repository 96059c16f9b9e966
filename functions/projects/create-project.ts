import { endpoint } from '../http/endpoint.ts';
import { createEntity } from '../store/entities/create-entity.ts';
import { createProject } from './contract.ts';

export const handler = endpoint(createProject, ({ session, body }) => createEntity(session, 'project', body));
