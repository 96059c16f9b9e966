import { listHistory } from '../engine/feed/list-history.ts';
import { endpoint } from '../http/endpoint.ts';
import { showHistory } from '../http/show-history.ts';
import { listOrganizationHistory } from './contract.ts';
import { organization } from './resource.ts';

export const handler = endpoint(listOrganizationHistory, async ({ session, id, place }) =>
  showHistory(organization, id, await listHistory(session, { kind: 'organization', id }, place)),
);
