import { readEndpoint } from '../http/read-endpoint.ts';
import { readProject } from './contract.ts';

export const handler = readEndpoint(readProject);
