import { endpoint } from '../http/endpoint.ts';
import { listDeleted } from '../store/lists/list-deleted.ts';
import { listDeletedProjects } from './contract.ts';

export const handler = endpoint(listDeletedProjects, ({ session, deletedQuery }) =>
  listDeleted(session, 'project', deletedQuery),
);
