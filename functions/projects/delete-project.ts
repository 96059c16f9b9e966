import { deleteEndpoint } from '../http/delete-endpoint.ts';
import { deleteProject } from './contract.ts';

export const handler = deleteEndpoint(deleteProject);
