import { listChanges } from '../engine/feed/list-changes.ts';
import { endpoint } from '../http/endpoint.ts';
import { listProjectChanges } from './contract.ts';

export const handler = endpoint(listProjectChanges, ({ session, query, since }) =>
  listChanges(session, 'project', query, since),
);
