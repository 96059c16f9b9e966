import { replaceEntity } from '../engine/entities/replace-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { replaceTask } from './contract.ts';

export const handler = endpoint(replaceTask, ({ session, id, body, expected }) =>
  replaceEntity(session, { kind: 'task', id, expected }, body),
);
