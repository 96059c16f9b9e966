import { batchEndpoint } from '../http/batch-endpoint.ts';
import { batchTasks } from './contract.ts';

export const handler = batchEndpoint(batchTasks);
