import { deletedListEndpoint } from '../http/deleted-list-endpoint.ts';
import { listDeletedTasks } from './contract.ts';

export const handler = deletedListEndpoint(listDeletedTasks);
