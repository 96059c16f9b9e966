import { endpoint } from '../http/endpoint.ts';
import { listHistory } from '../store/entities/list-history.ts';
import { listTaskHistory } from './contract.ts';

export const handler = endpoint(listTaskHistory, ({ session, id, place }) =>
  listHistory(session, { kind: 'task', id }, place),
);
