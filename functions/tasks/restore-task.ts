import { restoreEntity } from '../engine/deletions/restore.ts';
import { endpoint } from '../http/endpoint.ts';
import { restoreTask } from './contract.ts';

export const handler = endpoint(restoreTask, ({ session, id, expected }) =>
  restoreEntity(session, 'task', id, expected),
);
