import { listChanges } from '../engine/feed/list-changes.ts';
import { endpoint } from '../http/endpoint.ts';
import { listTagChanges } from './contract.ts';

export const handler = endpoint(listTagChanges, ({ session, query, since }) =>
  listChanges(session, 'tag', query, since),
);
