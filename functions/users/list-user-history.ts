import { endpoint } from '../http/endpoint.ts';
import { listHistory } from '../store/entities/list-history.ts';
import { listUserHistory } from './contract.ts';

export const handler = endpoint(listUserHistory, ({ session, id, place }) =>
  listHistory(session, { kind: 'user', id }, place),
);
