import { listEndpoint } from '../http/list-endpoint.ts';
import { listTagTasks } from './contract.ts';

export const handler = listEndpoint(listTagTasks);
