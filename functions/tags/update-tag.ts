import { endpoint } from '../shared/http/endpoint.ts';
import { updateEntity } from '../shared/store/entities/update-entity.ts';
import { updateTag } from './contract.ts';

export const handler = endpoint(updateTag, ({ session, id, body, expected }) =>
  updateEntity(session, { kind: 'tag', id, expected }, body),
);
