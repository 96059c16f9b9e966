import { endpoint } from '../http/endpoint.ts';
import { restoreEntity } from '../store/deletions/restore.ts';
import { restoreProject } from './contract.ts';

export const handler = endpoint(restoreProject, ({ session, id, expected }) =>
  restoreEntity(session, 'project', id, expected),
);
