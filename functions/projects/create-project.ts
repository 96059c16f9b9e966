import { createEntity } from '../engine/entities/create-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { createProject } from './contract.ts';

export const handler = endpoint(createProject, ({ session, body }) => createEntity(session, 'project', body));
