import { deleteEndpoint } from '../http/delete-endpoint.ts';
import { deleteTag } from './contract.ts';

export const handler = deleteEndpoint(deleteTag);
