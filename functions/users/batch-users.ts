import { batchEndpoint } from '../shared/http/batch-endpoint.ts';
import { batchUsers } from './contract.ts';
import { user } from './resource.ts';

export const handler = batchEndpoint(batchUsers, user);
