import { listEndpoint } from '../http/list-endpoint.ts';
import { listOrganizationUsers } from './contract.ts';

export const handler = listEndpoint(listOrganizationUsers);
