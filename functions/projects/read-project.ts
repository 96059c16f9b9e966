import { readEntity } from '../shared/store/unit-of-work/read-entity.ts';
import { endpoint } from '../shared/http/endpoint.ts';
import { readProject } from './contract.ts';

export const handler = endpoint(readProject, ({ session, id }) => readEntity(session, 'project', id));
