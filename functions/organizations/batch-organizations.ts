import { batchEndpoint } from '../http/batch-endpoint.ts';
import { batchOrganizations } from './contract.ts';
import { organization } from './resource.ts';

export const handler = batchEndpoint(batchOrganizations, organization);
