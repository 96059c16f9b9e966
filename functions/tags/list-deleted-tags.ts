import { listDeleted } from '../engine/lists/list-deleted.ts';
import { endpoint } from '../http/endpoint.ts';
import { listDeletedTags } from './contract.ts';

export const handler = endpoint(listDeletedTags, ({ session, deletedQuery }) =>
  listDeleted(session, 'tag', deletedQuery),
);
