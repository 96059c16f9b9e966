import { listEndpoint } from '../http/list-endpoint.ts';
import { listTaskTasks } from './contract.ts';

export const handler = listEndpoint(listTaskTasks);
