import { listDeleted } from '../engine/lists/list-deleted.ts';
import { endpoint } from '../http/endpoint.ts';
import { listDeletedProjects } from './contract.ts';

export const handler = endpoint(listDeletedProjects, ({ session, deletedQuery }) =>
  listDeleted(session, 'project', deletedQuery),
);
