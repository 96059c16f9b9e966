import { batchEndpoint } from '../http/batch-endpoint.ts';
import { batchTags } from './contract.ts';

export const handler = batchEndpoint(batchTags);
