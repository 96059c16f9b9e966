import { updateEndpoint } from '../http/update-endpoint.ts';
import { updateUser } from './contract.ts';

export const handler = updateEndpoint(updateUser);
