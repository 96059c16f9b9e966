import { writeEndpoint } from '../http/write-endpoint.ts';
import { archiveWithProjects } from './archive.ts';
import { archiveOrganization } from './contract.ts';

export const handler = writeEndpoint(archiveOrganization, ({ session, id, expected }) =>
  archiveWithProjects(session, id, expected),
);
