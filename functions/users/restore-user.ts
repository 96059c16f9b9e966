import { endpoint } from '../http/endpoint.ts';
import { restoreEntity } from '../store/deletions/restore.ts';
import { restoreUser } from './contract.ts';

export const handler = endpoint(restoreUser, ({ session, id, expected }) =>
  restoreEntity(session, 'user', id, expected),
);
