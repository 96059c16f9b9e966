import { batchEndpoint } from '../http/batch-endpoint.ts';
import { batchUsers } from './contract.ts';
import { user } from './resource.ts';

export const handler = batchEndpoint(batchUsers, user);
