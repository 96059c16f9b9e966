import { endpoint } from '../shared/http/endpoint.ts';
import { updateEntity } from '../shared/store/entities/update-entity.ts';
import { updateOrganization } from './contract.ts';

export const handler = endpoint(updateOrganization, ({ session, id, body, expected }) =>
  updateEntity(session, { kind: 'organization', id, expected }, body),
);
