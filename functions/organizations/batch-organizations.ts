import { batchEndpoint } from '../http/batch-endpoint.ts';
import { batchOrganizations } from './contract.ts';

export const handler = batchEndpoint(batchOrganizations);
