import { updateEntity } from '../engine/entities/update-entity.ts';
import { endpoint } from '../http/endpoint.ts';
import { updateProject } from './contract.ts';

export const handler = endpoint(updateProject, ({ session, id, body, expected }) =>
  updateEntity(session, { kind: 'project', id, expected }, body),
);
