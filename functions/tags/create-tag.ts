import { endpoint } from '../http/endpoint.ts';
import { createEntity } from '../store/entities/create-entity.ts';
import { createTag } from './contract.ts';

export const handler = endpoint(createTag, ({ session, body }) => createEntity(session, 'tag', body));
