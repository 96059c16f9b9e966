import { changesEndpoint } from '../http/changes-endpoint.ts';
import { listOrganizationChanges } from './contract.ts';

export const handler = changesEndpoint(listOrganizationChanges);
