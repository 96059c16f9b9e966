import { listHistory } from '../engine/feed/list-history.ts';
import { endpoint } from '../http/endpoint.ts';
import { showHistory } from '../http/show-history.ts';
import { listUserHistory } from './contract.ts';
import { user } from './resource.ts';

export const handler = endpoint(listUserHistory, async ({ session, id, place }) =>
  showHistory(user, id, await listHistory(session, { kind: 'user', id }, place)),
);
