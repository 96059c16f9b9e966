import { listHistory } from '../engine/feed/list-history.ts';
import { endpoint } from '../http/endpoint.ts';
import { showHistory } from '../http/show-history.ts';
import { listProjectHistory } from './contract.ts';
import { project } from './resource.ts';

export const handler = endpoint(listProjectHistory, async ({ session, id, place }) =>
  showHistory(project, id, await listHistory(session, { kind: 'project', id }, place)),
);
