import { endpoint } from '../http/endpoint.ts';
import { restoreEntity } from '../store/deletions/restore.ts';
import { restoreOrganization } from './contract.ts';

export const handler = endpoint(restoreOrganization, ({ session, id, expected }) =>
  restoreEntity(session, 'organization', id, expected),
);
