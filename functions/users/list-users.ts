import { listEndpoint } from '../http/list-endpoint.ts';
import { listUsers } from './contract.ts';

export const handler = listEndpoint(listUsers);
