import { listDeleted } from '../engine/lists/list-deleted.ts';
import { endpoint } from '../http/endpoint.ts';
import { listDeletedOrganizations } from './contract.ts';

export const handler = endpoint(listDeletedOrganizations, ({ session, deletedQuery }) =>
  listDeleted(session, 'organization', deletedQuery),
);
