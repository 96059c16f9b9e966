import { deleteEntity } from '../engine/deletions/delete-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { deleteTag } from './contract.ts';

export const handler = endpoint(deleteTag, ({ session, id, expected }) =>
  deleteEntity(session, 'tag', id, expected),
);
