import { endpoint } from '../http/endpoint.ts';
import { replaceEntity } from '../store/entities/replace-entity.ts';
import { replaceUser } from './contract.ts';

export const handler = endpoint(replaceUser, ({ session, id, body, expected }) =>
  replaceEntity(session, { kind: 'user', id, expected }, body),
);
