import { endpoint } from '../http/endpoint.ts';
import { updateEntity } from '../store/entities/update-entity.ts';
import { replaceUser } from './contract.ts';

export const handler = endpoint(replaceUser, ({ session, id, body, expected }) =>
  updateEntity(session, { kind: 'user', id, expected }, body),
);
