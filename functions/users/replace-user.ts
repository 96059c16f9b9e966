import { replaceEntity } from '../engine/entities/replace-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { replaceUser } from './contract.ts';

export const handler = endpoint(replaceUser, ({ session, id, body, expected }) =>
  replaceEntity(session, { kind: 'user', id, expected }, body),
);
