import { batchEndpoint } from '../http/batch-endpoint.ts';
import { batchTasks } from './contract.ts';
import { task } from './resource.ts';

export const handler = batchEndpoint(batchTasks, task);
