import { restoreEndpoint } from '../http/restore-endpoint.ts';
import { restoreTask } from './contract.ts';

export const handler = restoreEndpoint(restoreTask);
