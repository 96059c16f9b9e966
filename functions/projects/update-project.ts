import { updateEndpoint } from '../http/update-endpoint.ts';
import { updateProject } from './contract.ts';

export const handler = updateEndpoint(updateProject);
