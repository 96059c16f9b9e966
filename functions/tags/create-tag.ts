import { createEndpoint } from '../http/create-endpoint.ts';
import { createTag } from './contract.ts';

export const handler = createEndpoint(createTag);
