import { listEndpoint } from '../http/list-endpoint.ts';
import { listOrganizations } from './contract.ts';

export const handler = listEndpoint(listOrganizations);
