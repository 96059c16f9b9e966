import { endpoint } from '../shared/http/endpoint.ts';
import { updateEntity } from '../shared/store/entities/update-entity.ts';
import { replaceTask } from './contract.ts';

export const handler = endpoint(replaceTask, ({ session, id, body, expected }) =>
  updateEntity(session, { kind: 'task', id, expected }, body),
);
