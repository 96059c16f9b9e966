import { listHistory } from '../engine/feed/list-history.ts';
import { endpoint } from '../http/endpoint.ts';
import { showHistory } from '../http/show-history.ts';
import { listTaskHistory } from './contract.ts';
import { task } from './resource.ts';

export const handler = endpoint(listTaskHistory, async ({ session, id, place }) =>
  showHistory(task, id, await listHistory(session, { kind: 'task', id }, place)),
);
