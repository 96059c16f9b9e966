import { batchEndpoint } from '../http/batch-endpoint.ts';
import { batchProjects } from './contract.ts';

export const handler = batchEndpoint(batchProjects);
