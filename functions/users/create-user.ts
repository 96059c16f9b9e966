import { createEndpoint } from '../http/create-endpoint.ts';
import { createUser } from './contract.ts';

export const handler = createEndpoint(createUser);
