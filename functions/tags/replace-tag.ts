import { endpoint } from '../http/endpoint.ts';
import { updateEntity } from '../store/entities/update-entity.ts';
import { replaceTag } from './contract.ts';

export const handler = endpoint(replaceTag, ({ session, id, body, expected }) =>
  updateEntity(session, { kind: 'tag', id, expected }, body),
);
