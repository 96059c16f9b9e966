import { endpoint } from '../http/endpoint.ts';
import { readEntity } from '../store/entities/read-entity.ts';
import { readOrganization } from './contract.ts';

export const handler = endpoint(readOrganization, ({ session, id }) =>
  readEntity(session, 'organization', id),
);
