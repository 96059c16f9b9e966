import { endpoint } from '../http/endpoint.ts';
import { restoreEntity } from '../store/deletions/restore.ts';
import { restoreTask } from './contract.ts';

export const handler = endpoint(restoreTask, ({ session, id, expected }) =>
  restoreEntity(session, 'task', id, expected),
);
