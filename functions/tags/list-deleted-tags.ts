import { deletedListEndpoint } from '../http/deleted-list-endpoint.ts';
import { listDeletedTags } from './contract.ts';

export const handler = deletedListEndpoint(listDeletedTags);
