import { replaceEndpoint } from '../http/replace-endpoint.ts';
import { replaceOrganization } from './contract.ts';

export const handler = replaceEndpoint(replaceOrganization);
