import { restoreEntity } from '../engine/deletions/restore.ts';
import { endpoint } from '../http/endpoint.ts';
import { restoreProject } from './contract.ts';

export const handler = endpoint(restoreProject, ({ session, id, expected }) =>
  restoreEntity(session, 'project', id, expected),
);
