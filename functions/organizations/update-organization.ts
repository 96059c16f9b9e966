import { updateEndpoint } from '../http/update-endpoint.ts';
import { updateOrganization } from './contract.ts';

export const handler = updateEndpoint(updateOrganization);
