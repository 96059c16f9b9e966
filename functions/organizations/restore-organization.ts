import { restoreEndpoint } from '../http/restore-endpoint.ts';
import { restoreOrganization } from './contract.ts';

export const handler = restoreEndpoint(restoreOrganization);
