import { endpoint } from '../http/endpoint.ts';
import { listChanges } from '../store/lists/changes/list-changes.ts';
import { listTaskChanges } from './contract.ts';

export const handler = endpoint(listTaskChanges, ({ session, query, since }) =>
  listChanges(session, 'task', query, since),
);
