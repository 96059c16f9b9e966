import { endpoint } from '../http/endpoint.ts';
import { archiveWithProjects } from './archive.ts';
import { archiveOrganization } from './contract.ts';

export const handler = endpoint(archiveOrganization, ({ session, id, expected }) =>
  archiveWithProjects(session, id, expected),
);
