import { listDeleted } from '../engine/lists/list-deleted.ts';
import { endpoint } from '../http/endpoint.ts';
import { listDeletedUsers } from './contract.ts';

export const handler = endpoint(listDeletedUsers, ({ session, deletedQuery }) =>
  listDeleted(session, 'user', deletedQuery),
);
