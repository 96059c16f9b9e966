import { replaceEntity } from '../engine/entities/replace-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { replaceOrganization } from './contract.ts';

export const handler = endpoint(replaceOrganization, ({ session, id, body, expected }) =>
  replaceEntity(session, { kind: 'organization', id, expected }, body),
);
