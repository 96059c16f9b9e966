import { endpoint } from '../shared/http/endpoint.ts';
import { archiveWithProjects } from '../shared/store/cascades/archive.ts';
import { archiveOrganization } from './contract.ts';

export const handler = endpoint(archiveOrganization, ({ session, id, expected }) =>
  archiveWithProjects(session, id, expected),
);
