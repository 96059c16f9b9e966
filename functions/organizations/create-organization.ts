import { createEntity } from '../engine/entities/create-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { createOrganization } from './contract.ts';

export const handler = endpoint(createOrganization, ({ session, body }) =>
  createEntity(session, 'organization', body),
);
