import { listEndpoint } from '../http/list-endpoint.ts';
import { listTasks } from './contract.ts';

export const handler = listEndpoint(listTasks);
