import { listDeleted } from '../engine/lists/list-deleted.ts';
import { endpoint } from '../http/endpoint.ts';
import { listDeletedTasks } from './contract.ts';

export const handler = endpoint(listDeletedTasks, ({ session, deletedQuery }) =>
  listDeleted(session, 'task', deletedQuery),
);
