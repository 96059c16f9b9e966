import { endpoint } from '../http/endpoint.ts';
import { listChanges } from '../store/lists/changes/list-changes.ts';
import { listUserChanges } from './contract.ts';

export const handler = endpoint(listUserChanges, ({ session, query, since }) =>
  listChanges(session, 'user', query, since),
);
