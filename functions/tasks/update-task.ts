import { endpoint } from '../http/endpoint.ts';
import { updateEntity } from '../store/entities/update-entity.ts';
import { updateTask } from './contract.ts';

export const handler = endpoint(updateTask, ({ session, id, body, expected }) =>
  updateEntity(session, { kind: 'task', id, expected }, body),
);
