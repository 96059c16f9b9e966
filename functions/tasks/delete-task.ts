import { deleteEndpoint } from '../http/delete-endpoint.ts';
import { deleteTask } from './contract.ts';

export const handler = deleteEndpoint(deleteTask);
