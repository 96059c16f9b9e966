import { endpoint } from '../http/endpoint.ts';
import { listHistory } from '../store/entities/list-history.ts';
import { listOrganizationHistory } from './contract.ts';

export const handler = endpoint(listOrganizationHistory, ({ session, id, place }) =>
  listHistory(session, { kind: 'organization', id }, place),
);
