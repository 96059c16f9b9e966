import { listEndpoint } from '../http/list-endpoint.ts';
import { listProjects } from './contract.ts';

export const handler = listEndpoint(listProjects);
