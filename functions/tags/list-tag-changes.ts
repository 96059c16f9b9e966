import { endpoint } from '../http/endpoint.ts';
import { listChanges } from '../store/lists/changes/list-changes.ts';
import { listTagChanges } from './contract.ts';

export const handler = endpoint(listTagChanges, ({ session, query, since }) =>
  listChanges(session, 'tag', query, since),
);
