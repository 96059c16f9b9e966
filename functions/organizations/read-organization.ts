import { readEndpoint } from '../http/read-endpoint.ts';
import { readOrganization } from './contract.ts';

export const handler = readEndpoint(readOrganization);
