import { restoreEndpoint } from '../http/restore-endpoint.ts';
import { restoreTag } from './contract.ts';

export const handler = restoreEndpoint(restoreTag);
