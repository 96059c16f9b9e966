import { listHistory } from '../engine/feed/list-history.ts';
import { endpoint } from '../http/endpoint.ts';
import { showHistory } from '../http/show-history.ts';
import { listTagHistory } from './contract.ts';
import { tag } from './resource.ts';

export const handler = endpoint(listTagHistory, async ({ session, id, place }) =>
  showHistory(tag, id, await listHistory(session, { kind: 'tag', id }, place)),
);
