import { listEndpoint } from '../http/list-endpoint.ts';
import { listOrganizationProjects } from './contract.ts';

export const handler = listEndpoint(listOrganizationProjects);
