import { createEndpoint } from '../http/create-endpoint.ts';
import { createProject } from './contract.ts';

export const handler = createEndpoint(createProject);
