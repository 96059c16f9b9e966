import { endpoint } from '../shared/http/endpoint.ts';
import { createEntity } from '../shared/store/entities/create-entity.ts';
import { createTag } from './contract.ts';

export const handler = endpoint(createTag, ({ session, body }) => createEntity(session, 'tag', body));
