import { endpoint } from '../http/endpoint.ts';
import { listChanges } from '../store/lists/changes/list-changes.ts';
import { listOrganizationChanges } from './contract.ts';

export const handler = endpoint(listOrganizationChanges, ({ session, query, since }) =>
  listChanges(session, 'organization', query, since),
);
