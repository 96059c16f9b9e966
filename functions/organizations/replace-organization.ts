import { endpoint } from '../http/endpoint.ts';
import { updateEntity } from '../store/entities/update-entity.ts';
import { replaceOrganization } from './contract.ts';

export const handler = endpoint(replaceOrganization, ({ session, id, body, expected }) =>
  updateEntity(session, { kind: 'organization', id, expected }, body),
);
