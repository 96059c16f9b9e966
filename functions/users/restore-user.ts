import { restoreEndpoint } from '../http/restore-endpoint.ts';
import { restoreUser } from './contract.ts';

export const handler = restoreEndpoint(restoreUser);
