import { replaceEntity } from '../engine/entities/replace-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { replaceTag } from './contract.ts';

export const handler = endpoint(replaceTag, ({ session, id, body, expected }) =>
  replaceEntity(session, { kind: 'tag', id, expected }, body),
);
