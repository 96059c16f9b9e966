import { readEndpoint } from '../http/read-endpoint.ts';
import { readUser } from './contract.ts';

export const handler = readEndpoint(readUser);
