import { batchEndpoint } from '../http/batch-endpoint.ts';
import { batchUsers } from './contract.ts';

export const handler = batchEndpoint(batchUsers);
