import { endpoint } from '../http/endpoint.ts';
import { updateEntity } from '../store/entities/update-entity.ts';
import { replaceProject } from './contract.ts';

export const handler = endpoint(replaceProject, ({ session, id, body, expected }) =>
  updateEntity(session, { kind: 'project', id, expected }, body),
);
