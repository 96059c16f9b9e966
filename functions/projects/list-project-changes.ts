import { endpoint } from '../http/endpoint.ts';
import { listChanges } from '../store/lists/changes/list-changes.ts';
import { listProjectChanges } from './contract.ts';

export const handler = endpoint(listProjectChanges, ({ session, query, since }) =>
  listChanges(session, 'project', query, since),
);
