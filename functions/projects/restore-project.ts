import { restoreEndpoint } from '../http/restore-endpoint.ts';
import { restoreProject } from './contract.ts';

export const handler = restoreEndpoint(restoreProject);
