import { batchEndpoint } from '../http/batch-endpoint.ts';
import { batchProjects } from './contract.ts';
import { project } from './resource.ts';

export const handler = batchEndpoint(batchProjects, project);
