import { deletedListEndpoint } from '../http/deleted-list-endpoint.ts';
import { listDeletedOrganizations } from './contract.ts';

export const handler = deletedListEndpoint(listDeletedOrganizations);
