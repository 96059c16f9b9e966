import { deleteEndpoint } from '../http/delete-endpoint.ts';
import { deleteOrganization } from './contract.ts';

export const handler = deleteEndpoint(deleteOrganization);
