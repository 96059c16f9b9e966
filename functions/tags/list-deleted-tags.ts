import { endpoint } from '../http/endpoint.ts';
import { listDeleted } from '../store/lists/list-deleted.ts';
import { listDeletedTags } from './contract.ts';

export const handler = endpoint(listDeletedTags, ({ session, deletedQuery }) =>
  listDeleted(session, 'tag', deletedQuery),
);
