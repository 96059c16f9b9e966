import { createEndpoint } from '../http/create-endpoint.ts';
import { createOrganization } from './contract.ts';

export const handler = createEndpoint(createOrganization);
