import { endpoint } from '../http/endpoint.ts';
import { updateEntity } from '../store/entities/update-entity.ts';
import { updateOrganization } from './contract.ts';

export const handler = endpoint(updateOrganization, ({ session, id, body, expected }) =>
  updateEntity(session, { kind: 'organization', id, expected }, body),
);
