import { deletedListEndpoint } from '../http/deleted-list-endpoint.ts';
import { listDeletedProjects } from './contract.ts';

export const handler = deletedListEndpoint(listDeletedProjects);
