import { updateEntity } from '../engine/entities/update-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { updateTask } from './contract.ts';

export const handler = endpoint(updateTask, ({ session, id, body, expected }) =>
  updateEntity(session, { kind: 'task', id, expected }, body),
);
