import { updateEndpoint } from '../http/update-endpoint.ts';
import { updateTag } from './contract.ts';

export const handler = updateEndpoint(updateTag);
