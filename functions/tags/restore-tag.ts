import { endpoint } from '../http/endpoint.ts';
import { restoreEntity } from '../store/deletions/restore.ts';
import { restoreTag } from './contract.ts';

export const handler = endpoint(restoreTag, ({ session, id, expected }) =>
  restoreEntity(session, 'tag', id, expected),
);
