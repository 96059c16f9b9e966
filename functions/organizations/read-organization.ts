import { readEntity } from '../shared/store/unit-of-work/read-entity.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { readOrganization } from './contract.ts';

export const handler = endpoint(readOrganization, ({ session, id }) =>
  readEntity(session, 'organization', id),
);
