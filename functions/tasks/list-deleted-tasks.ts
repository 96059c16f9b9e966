import { endpoint } from '../http/endpoint.ts';
import { listDeleted } from '../store/lists/list-deleted.ts';
import { listDeletedTasks } from './contract.ts';

export const handler = endpoint(listDeletedTasks, ({ session, deletedQuery }) =>
  listDeleted(session, 'task', deletedQuery),
);
