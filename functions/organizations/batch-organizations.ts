import { batchEndpoint } from '../shared/http/batch-endpoint.ts';
import { batchOrganizations } from './contract.ts';
import { organization } from './resource.ts';

export const handler = batchEndpoint(batchOrganizations, organization);
