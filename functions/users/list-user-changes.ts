import { listChanges } from '../engine/feed/list-changes.ts';
import { endpoint } from '../http/endpoint.ts';
import { listUserChanges } from './contract.ts';

export const handler = endpoint(listUserChanges, ({ session, query, since }) =>
  listChanges(session, 'user', query, since),
);
