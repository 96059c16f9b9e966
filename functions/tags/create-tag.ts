import { createEntity } from '../engine/entities/create-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { createTag } from './contract.ts';

export const handler = endpoint(createTag, ({ session, body }) => createEntity(session, 'tag', body));
