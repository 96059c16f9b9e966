import { restoreEntity } from '../engine/deletions/restore.ts';
import { endpoint } from '../http/endpoint.ts';
import { restoreTag } from './contract.ts';

export const handler = endpoint(restoreTag, ({ session, id, expected }) =>
  restoreEntity(session, 'tag', id, expected),
);
