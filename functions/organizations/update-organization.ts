import { updateEntity } from '../engine/entities/update-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { updateOrganization } from './contract.ts';

export const handler = endpoint(updateOrganization, ({ session, id, body, expected }) =>
  updateEntity(session, { kind: 'organization', id, expected }, body),
);
