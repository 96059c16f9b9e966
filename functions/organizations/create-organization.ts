import { endpoint } from '../http/endpoint.ts';
import { createEntity } from '../store/entities/create-entity.ts';
import { createOrganization } from './contract.ts';

export const handler = endpoint(createOrganization, ({ session, body }) =>
  createEntity(session, 'organization', body),
);
