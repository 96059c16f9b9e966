import { listChanges } from '../engine/feed/list-changes.ts';
import { endpoint } from '../http/endpoint.ts';
import { listOrganizationChanges } from './contract.ts';

export const handler = endpoint(listOrganizationChanges, ({ session, query, since }) =>
  listChanges(session, 'organization', query, since),
);
