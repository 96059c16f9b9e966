import { readEndpoint } from '../http/read-endpoint.ts';
import { readTask } from './contract.ts';

export const handler = readEndpoint(readTask);
