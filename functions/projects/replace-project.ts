import { replaceEntity } from '../engine/entities/replace-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { replaceProject } from './contract.ts';

export const handler = endpoint(replaceProject, ({ session, id, body, expected }) =>
  replaceEntity(session, { kind: 'project', id, expected }, body),
);
