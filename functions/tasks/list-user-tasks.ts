import { listEndpoint } from '../http/list-endpoint.ts';
import { listUserTasks } from './contract.ts';

export const handler = listEndpoint(listUserTasks);
