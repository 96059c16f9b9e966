import { restoreEntity } from '../engine/deletions/restore.ts';
import { endpoint } from '../http/endpoint.ts';
import { restoreUser } from './contract.ts';

export const handler = endpoint(restoreUser, ({ session, id, expected }) =>
  restoreEntity(session, 'user', id, expected),
);
