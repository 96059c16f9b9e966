import { endpoint } from '../http/endpoint.ts';
import { updateEntity } from '../store/entities/update-entity.ts';
import { replaceTask } from './contract.ts';

export const handler = endpoint(replaceTask, ({ session, id, body, expected }) =>
  updateEntity(session, { kind: 'task', id, expected }, body),
);
