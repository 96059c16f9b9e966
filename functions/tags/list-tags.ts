import { listEndpoint } from '../http/list-endpoint.ts';
import { listTags } from './contract.ts';

export const handler = listEndpoint(listTags);
