import { listChanges } from '../engine/feed/list-changes.ts';
import { endpoint } from '../http/endpoint.ts';
import { listTaskChanges } from './contract.ts';

export const handler = endpoint(listTaskChanges, ({ session, query, since }) =>
  listChanges(session, 'task', query, since),
);
