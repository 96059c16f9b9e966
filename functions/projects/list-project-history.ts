import { endpoint } from '../http/endpoint.ts';
import { listHistory } from '../store/entities/list-history.ts';
import { listProjectHistory } from './contract.ts';

export const handler = endpoint(listProjectHistory, ({ session, id, place }) =>
  listHistory(session, { kind: 'project', id }, place),
);
