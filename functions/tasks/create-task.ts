import { createEndpoint } from '../http/create-endpoint.ts';
import { createTask } from './contract.ts';

export const handler = createEndpoint(createTask);
