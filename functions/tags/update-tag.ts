import { updateEntity } from '../engine/entities/update-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { updateTag } from './contract.ts';

export const handler = endpoint(updateTag, ({ session, id, body, expected }) =>
  updateEntity(session, { kind: 'tag', id, expected }, body),
);
