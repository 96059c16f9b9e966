import { endpoint } from '../http/endpoint.ts';
import { deleteEntity } from '../store/deletions/delete-entity.ts';
import { deleteTag } from './contract.ts';

export const handler = endpoint(deleteTag, ({ session, id, expected }) =>
  deleteEntity(session, 'tag', id, expected),
);
