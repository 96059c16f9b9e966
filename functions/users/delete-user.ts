import { deleteEndpoint } from '../http/delete-endpoint.ts';
import { deleteUser } from './contract.ts';

export const handler = deleteEndpoint(deleteUser);
