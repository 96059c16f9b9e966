import { deletedListEndpoint } from '../http/deleted-list-endpoint.ts';
import { listDeletedUsers } from './contract.ts';

export const handler = deletedListEndpoint(listDeletedUsers);
