import { endpoint } from '../http/endpoint.ts';
import { listHistory } from '../store/entities/list-history.ts';
import { listTagHistory } from './contract.ts';

export const handler = endpoint(listTagHistory, ({ session, id, place }) =>
  listHistory(session, { kind: 'tag', id }, place),
);
