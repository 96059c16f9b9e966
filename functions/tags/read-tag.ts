import { readEndpoint } from '../http/read-endpoint.ts';
import { readTag } from './contract.ts';

export const handler = readEndpoint(readTag);
