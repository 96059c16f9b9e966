import { endpoint } from '../http/endpoint.ts';
import { listDeleted } from '../store/lists/list-deleted.ts';
import { listDeletedUsers } from './contract.ts';

export const handler = endpoint(listDeletedUsers, ({ session, deletedQuery }) =>
  listDeleted(session, 'user', deletedQuery),
);
