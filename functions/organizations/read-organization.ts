import { readEntity } from '../engine/entities/read-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { readOrganization } from './contract.ts';

export const handler = endpoint(readOrganization, ({ session, id }) =>
  readEntity(session, 'organization', id),
);
