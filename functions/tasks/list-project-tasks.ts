import { listEndpoint } from '../http/list-endpoint.ts';
import { listProjectTasks } from './contract.ts';

export const handler = listEndpoint(listProjectTasks);
