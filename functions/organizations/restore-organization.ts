import { restoreEntity } from '../engine/deletions/restore.ts';
import { endpoint } from '../http/endpoint.ts';
import { restoreOrganization } from './contract.ts';

export const handler = endpoint(restoreOrganization, ({ session, id, expected }) =>
  restoreEntity(session, 'organization', id, expected),
);
