import { endpoint } from '../http/endpoint.ts';
import { listDeleted } from '../store/lists/list-deleted.ts';
import { listDeletedOrganizations } from './contract.ts';

export const handler = endpoint(listDeletedOrganizations, ({ session, deletedQuery }) =>
  listDeleted(session, 'organization', deletedQuery),
);
